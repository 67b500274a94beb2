"""XML in pieces: tags without prefixes, depth, lines, encodings, entities of an unread DTD."""

import codecs

import pytest

from linkprior.errors import InputError
from linkprior.io.readers import graph_xml
from linkprior.io.readers.graph_xml import parse_xml

SYSTEM = '<!DOCTYPE g SYSTEM "g.dtd">'


class Log:
    """A handler that writes down what comes."""

    def __init__(self):
        self.seen, self.said = [], ""

    def start(self, tag, attributes, line):
        self.seen.append((tag, *attributes.items(), line))

    def end(self, tag):
        self.seen.append(f"/{tag}")

    def text(self, data):
        self.said += data


class Pieces:
    """A source that gives text in pieces of one size."""

    def __init__(self, text, size):
        self.name, self._bytes, self._size = "x", text, size
        if isinstance(text, str):
            self._bytes = text.encode()

    def blocks(self):
        for at in range(0, len(self._bytes), self._size):
            yield self._bytes[at : at + self._size]


def parsed(text, size=1000, root="g"):
    log = Log()
    parse_xml(Pieces(text, size), root, log)
    return log


def refused(text, size=1000, root="g"):
    with pytest.raises(InputError) as told:
        parsed(text, size, root)
    return str(told.value)


# ---------------------------------------------------------------------- tags


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_tags_come_without_prefix_and_with_their_line(size):
    log = parsed('<p:g>\n<q:r:n id="1"/>\n\ntext<e>more</e></p:g>', size)
    assert log.seen == [("g", 1), ("n", ("id", "1"), 2), "/n", ("e", 4), "/e", "/g"]
    assert log.said.split() == ["textmore"]


@pytest.mark.parametrize("tag", ["h", "gg", "g:h"])
def test_another_first_tag_is_refused(tag):
    assert refused(f"\n<{tag}/>") == f"x:2: expected the tag <g> first, got <{tag}>"


def test_a_long_first_tag_is_cut():
    assert len(refused(f"<{'h' * 500}/>")) < 100


def test_the_text_between_tags_comes_in_one_piece():
    log = Log()
    pieces = []
    log.text = pieces.append
    parse_xml(Pieces("<g>one\ntwo &amp; three</g>", 1000), "g", log)
    assert pieces == ["one\ntwo & three"]


def nested(depth):
    return "<g>\n" + "<n>" * (depth - 1) + "</n>" * (depth - 1) + "</g>"


def test_a_thousand_open_tags_are_the_most():
    assert len(parsed(nested(1000)).seen) == 2000
    assert refused(nested(1001)).startswith("x:2: tags inside 1,000 others, which no graph file")


def test_tags_that_are_closed_do_not_count():
    closed = "<n><m/></n>" * 1001
    assert len(parsed(f"<g>{closed}</g>").seen) == 2 * 2003
    deep = nested(1000)
    assert len(parsed(f"<g>{closed}{deep[4:]}").seen) == 2 * 3002
    assert "tags inside 1,000 others" in refused(f"<g>{closed}{nested(1001)[4:]}")


def test_a_tag_without_end_is_refused_once_it_is_too_long(monkeypatch):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 100)
    fits = f'<g>\n<n a="{"y" * 80}"/></g>'
    for size in (1, 10, 60):
        assert parsed(fits, size).seen[1][0] == "n"
        told = refused(f'<g>\n<n a="{"y" * 300}"/></g>', size)
        assert told.startswith("x:2: a tag or comment of more than 0 MB")
    assert len(parsed("<g>" + "<n/>" * 500 + "</g>", 10).seen) == 1002  # all of them together


@pytest.mark.parametrize(("kept", "fits"), [(100, True), (101, False)])
def test_as_many_bytes_as_the_limit_may_wait_for_their_end(monkeypatch, kept, fits):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 100)
    text = "<g>" + "<!--" + "y" * (kept - 4)
    if fits:
        assert "ends too early" in refused(text, len(text))
    else:
        assert "a tag or comment of more than" in refused(text, len(text))


# ---------------------------------------------------------------------- what is no XML


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "x:1: the XML ends too early (no element found)"),
        ("<g>\n", "x:2: the XML ends too early (no element found)"),
        ("<g>\n<n", "x:2: the XML ends too early (unclosed token)"),
        (b"<g>\n\xc3", "x:2: the XML ends too early (partial character)"),
        ("<g>\n<![CDATA[a", "x:2: the XML ends too early (unclosed CDATA section)"),
        ("<g>\n</h>", "x:2: not well-formed XML (mismatched tag, column 3); export it again"),
        (b"<g>\n\xff</g>", "x:2: not well-formed XML (not well-formed (invalid token), column 1)"),
        ("<g/>\n<g/>", "x:2: not well-formed XML (junk after document element, column 1); export"),
    ],
)
def test_damage_is_told_with_its_line(text, told):
    assert refused(text).startswith(told)


def test_bytes_that_are_no_text_may_be_another_encoding():
    assert refused(b"<g>\xff</g>").endswith("; is it UTF-8?")
    assert refused("<g></h>").endswith("; export it again")


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("utf-16", "utf-16"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("iso-8859-15", "iso-8859-15"),
        ("koi8-r", "koi8-r"),
    ],
)
def test_known_encodings_are_read(encoding, codec):
    word = "\u0434" if encoding == "koi8-r" else "\u00e9"
    text = f'<?xml version="1.0" encoding="{encoding}"?><g>{word}</g>'
    assert parsed(text.encode(codec)).said == word


@pytest.mark.parametrize("encoding", ["klingon", "gbk", "utf-7", "idna"])
def test_encodings_of_several_bytes_or_none_are_refused(encoding):
    told = refused(f'<?xml version="1.0"\nencoding="{encoding}"?><g/>')
    assert told.startswith("x:1: declares the encoding")
    assert f"'{encoding}', which is not read; save it as UTF-8" in told


def test_no_encoding_needs_to_be_declared():
    assert parsed('<?xml version="1.0"?><g/>').seen == [("g", 1), "/g"]


# ---------------------------------------------------------------------- entities


@pytest.mark.parametrize(
    "inside",
    ['<!ENTITY a "b">', '<!ATTLIST n id CDATA "x">', '<!ENTITY a SYSTEM "file:///etc/x">', ""],
)
def test_a_dtd_inside_the_document_is_refused_by_line(inside):
    told = refused(f"\n<!DOCTYPE g [{inside}]><g/>")
    assert told.startswith("x:2: declares XML entities or the like in a DTD of its own")


def test_a_doctype_without_any_dtd_leaves_entities_to_the_parser():
    assert parsed("<!DOCTYPE g><g>a</g>").said == "a"
    assert "undefined entity" in refused("<!DOCTYPE g><g>&odd;</g>")


def cases(reference):
    """Return texts with a reference in an attribute or in text, and the line it stands on."""
    return [
        (f'{SYSTEM}\n<g>\n<n id="{reference}"/></g>', 3),
        (f'\n{SYSTEM}\n<g><n\nid="a"\nname="{reference}"/></g>', 5),
        (f"{SYSTEM}<g>\n\na\n{reference}</g>", 4),
        (f'{SYSTEM}<g>\n<!-- a\n<n id="&fine;"> --><n\nid="{reference}"/></g>', 4),
        (f'{SYSTEM}<g><![CDATA[\n&fine;<n id="&fine;">\n]]><n id="{reference}"/></g>', 3),
        (f'<!DOCTYPE g PUBLIC "-//a" "g.dtd"><g>\n<n id="b{reference}"/></g>', 2),
        (f"{SYSTEM}<g><?made by hand?>\n{reference}</g>", 2),
    ]


@pytest.mark.parametrize(("text", "line"), cases("&odd;"))
@pytest.mark.parametrize("size", [1, 2, 5, 11, 1000])
def test_an_undefined_reference_is_refused_with_its_line_however_it_is_cut(text, line, size):
    told = refused(text, size)
    assert told == f"x:{line}: refers to &odd;, which the file does not define; export it again"


@pytest.mark.parametrize(("text", "_line"), cases("&amp;&#65;&lt;&gt;&quot;&apos;&#x42;"))
@pytest.mark.parametrize("size", [1, 2, 5, 11, 1000])
def test_references_that_need_no_dtd_are_read(text, _line, size):
    assert parsed(text, size).seen[-1] == "/g"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_references_in_utf16_are_found_too(codec):
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}[codec]
    text = mark + f'{SYSTEM}<g>\n<n id="&odd;"/></g>'.encode(codec)
    assert refused(text, 8).startswith("x:2: refers to &odd;,")


def test_an_odd_reference_is_shown_in_plain_letters():
    assert "refers to &\\xe9;, which" in refused(f'{SYSTEM}<g><n id="&\u00e9;"/></g>')


@pytest.mark.parametrize("size", [3, 40, 1000])
def test_a_reference_is_found_below_more_tags_than_are_kept(monkeypatch, size):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 60)
    tags = '<n id="a"/>\n<m>b</m>\n' * 20
    told = refused(f'{SYSTEM}<g>{tags}<n id="&odd;"/></g>', size)
    assert told.startswith("x:41: refers to &odd;,")


def test_a_long_comment_is_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(graph_xml, "_LONGEST_TAG", 50)
    references = graph_xml._References(graph_xml._parser("x", "g", Log()), "x")
    references._needed = True
    for _ in range(10):
        references.check(b"<!-- " + b"y" * 40)
        assert len(references._rest) <= 50
