"""Words of English that join other words and name nothing: articles, pronouns, prepositions, auxiliaries and the like.

The classes are closed, so the list is whole but for rare and old words. Adverbs of degree and of time that are as empty
("very", "then") are among them. Words of other languages are left to the statistics of names.
"""

from __future__ import annotations

_WORDS = """
a an the this that these those such each every either neither some any no none all both half many much more most few
fewer less least several another other others enough own same
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves one ones oneself someone somebody something anyone anybody anything
everyone everybody everything nobody nothing who whom whose which what whatever whichever whoever
about above across after against along among amid around as at before behind below beneath beside besides between beyond
but by despite down during except for from in inside into like near of off on onto out outside over past per since
through throughout till to toward towards under underneath until unto up upon via with within without than
and or nor so yet if unless because although though while whereas whether when whenever where wherever why how once
am is are was were be been being isn aren wasn weren do does did doing done don doesn didn have has had having haven
hasn hadn will would shall should can could may might must ought need won wouldn shan shouldn can couldn cannot mustn
ain let lets get gets got getting
not n't never ever also too very quite rather just only even still already again then thus hence therefore however
else instead here there now soon almost perhaps maybe yes please
s t d m ll re ve y o'clock
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
_ENDINGS = ("n't", "'s", "'re", "'ve", "'ll", "'d", "'m")


def is_function_word(word: str) -> bool:
    """Whether a word in lower case names nothing, also with an ending such as n't or 's."""
    if word in FUNCTION_WORDS:
        return True
    word = word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return any(word.endswith(ending) and word.removesuffix(ending) in FUNCTION_WORDS for ending in _ENDINGS)
