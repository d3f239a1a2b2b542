"""Every refusal that can be sent has its words, in both languages, with nothing left to fill in."""

from __future__ import annotations

from typing import get_args

import pytest

from server.protocol.replies import RefusalCode
from server.transport import words


@pytest.mark.parametrize("language", words.LANGUAGES)
@pytest.mark.parametrize("code", get_args(RefusalCode))
def test_a_refusal_has_words(code: str, language: words.Language) -> None:
    text = words.refusal(language, code)
    assert text
    assert "{" not in text
