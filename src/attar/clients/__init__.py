"""Attar inside other libraries: one module per library, each a class or function that takes a fitted Embedder.

| library | what to import |
|---|---|
| BERTopic | `attar.clients.bertopic.BertopicBackend` |
| KeyBERT | `attar.clients.keybert.KeybertBackend` |
| chromadb | `attar.clients.chroma.AttarEmbeddingFunction` |
| LanceDB | `attar.clients.lance.LanceEmbeddings` |
| LangChain | `attar.clients.langchain.LangchainEmbeddings` |
| LlamaIndex | `attar.clients.llama_index.AttarEmbedding` |
| txtai | `attar.clients.txtai.settings` |
| spaCy | the pipe `"attar"` of `attar.clients.spacy` |
"""

from __future__ import annotations

CLIENTS = ("bertopic", "chroma", "keybert", "lance", "langchain", "llama_index", "spacy", "txtai")
