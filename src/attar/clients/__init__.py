"""Attar inside other libraries: one module per library, each a class or function that takes a fitted Embedder.

| library | what to import |
|---|---|
| BERTopic | `attar.clients.bertopic.AttarBackend` |
| KeyBERT | `attar.clients.keybert.AttarBackend` |
| chromadb | `attar.clients.chroma.AttarEmbeddingFunction` |
| LanceDB | `attar.clients.lance.AttarEmbeddings` |
| LangChain | `attar.clients.langchain.AttarEmbeddings` |
| LlamaIndex | `attar.clients.llama_index.AttarEmbedding` |
| txtai | `attar.clients.txtai.settings` |
| spaCy | the pipe `"attar"` of `attar.clients.spacy` |
"""

from __future__ import annotations

CLIENTS = ("bertopic", "chroma", "keybert", "lance", "langchain", "llama_index", "spacy", "txtai")
