"""Published prompts that make a causal model say in one word what a text is about, and where they come from."""

from __future__ import annotations

# Jiang et al. 2023, Scaling Sentence Embeddings with Large Language Models (PromptEOL)
EOL = 'This sentence : "[X]" means in one word:"'
# Zhang et al. 2024, Simple Techniques for Enhancing Sentence Embeddings in Generative Language Models: both of these
COT = 'After thinking step by step , this sentence : "[X]" means in one word:"'
KNOWLEDGE = (
    "The essence of a sentence is often captured by its main subjects and actions, while descriptive terms provide "
    "additional but less central details. With this in mind , this sentence : "
    '"[X]" means in one word:"'
)
# Springer et al. 2024, Repetition Improves Language Model Embeddings
ECHO = "Rewrite the sentence: [X]; rewritten sentence: [X]"


def _task(about: str, verb: str, why: str = "For") -> str:
    return f'In this task, you\'re {about} {why} this task, this sentence : "[X]" {verb} in one word:"'


# Lei et al. 2024, Meta-Task Prompting Elicits Embeddings from Large Language Models (MetaEOL), averaged
META = (
    _task(
        "presented with a text excerpt. Your task is to categorize the excerpt into a broad category such as "
        "'Education', 'Technology', 'Health', 'Business', 'Environment', 'Politics', or 'Culture'. These categories "
        "help in organizing content for better accessibility and targeting.",
        "should be classified under one general category",
    ),
    _task(
        "given a statement and you need to determine whether it's presenting an 'Opinion' or a 'Fact'. This "
        "distinction is vital for information verification, educational purposes, and content analysis.",
        "discriminates between opinion and fact",
    ),
    _task(
        "given a review from an online platform. Your task is to generate a rating for the product based on the "
        "review on a scale of 1-5, where 1 means 'extremely negative' and 5 means 'extremely positive'.",
        "reflects the sentiment",
    ),
    _task(
        "reading a personal diary entry. Your task is to identify the predominant emotion expressed, such as joy, "
        "sadness, anger, fear, or love.",
        "conveys the emotion",
    ),
    _task(
        "presented with two sentences. Your task is to assess whether the sentences convey the same meaning. Use "
        "'identical', 'similar', 'different', or 'unrelated' to describe the relationship.",
        "means",
        "To enhance the performance of",
    ),
    _task(
        "given a sentence and a phrase. Your task is to determine if the phrase can be a contextual synonym within "
        "the given sentence. Options include 'yes', 'no', or 'partially'.",
        "means",
        "To enhance the performance of",
    ),
    _task(
        "examining a news article. Your task is to extract the most critical fact from the article.",
        "encapsulates the key fact",
    ),
    _task(
        "reviewing a scientific abstract. Your task is to identify the main entities (e.g., proteins, diseases) and "
        "their relations (e.g., causes, treats).",
        "highlights the primary entity or relation",
    ),
)
