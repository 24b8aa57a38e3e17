"""Each dataset in the form its authors or SentEval distribute it, as a few rows of our own."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from attar import tasks
from attar.errors import DataError
from attar.tasks import ClassifyTask, ClusterTask, StsTask


def write(folder: Path, files: dict[str, str], encoding: str = "utf-8") -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))


def sts(name: str, data: Path, split: str | None = None) -> StsTask:
    task = tasks.load(name, data, split=split, rows="any")
    assert isinstance(task, StsTask)
    return task


def cluster(name: str, data: Path) -> ClusterTask:
    task = tasks.load(name, data, rows="any")
    assert isinstance(task, ClusterTask)
    return task


def classify(name: str, data: Path) -> ClassifyTask:
    task = tasks.load(name, data, rows="any")
    assert isinstance(task, ClassifyTask)
    return task


@pytest.mark.parametrize(
    "folder", ["STS/STS13-en-test", "data/downstream/STS/STS13-en-test", "test-gs", "STS/test-gs", "."]
)
def test_a_year_of_the_shared_task(tmp_path: Path, folder: str) -> None:
    files = {
        "STS.input.FNWN.txt": "to eat\tto have a meal\n",
        "STS.gs.FNWN.txt": "4.5\n",
        "STS.input.headlines.txt": 'Rain "soon"\tSun soon\nTown wins cup\tCup won by town\n',
        "STS.gs.headlines.txt": "1\n5\n",
        "STS.input.OnWN.txt": "a stone\ta rock\n",
        "STS.gs.OnWN.txt": "4\n",
    }
    write(tmp_path / folder, files)
    task = sts("STS13", tmp_path)
    assert task.left == ("to eat", 'Rain "soon"', "Town wins cup", "a stone")
    assert task.right == ("to have a meal", "Sun soon", "Cup won by town", "a rock")
    assert task.scores.tolist() == [4.5, 1, 5, 4]
    assert task.subsets == ("FNWN", "headlines", "headlines", "OnWN")


@pytest.mark.parametrize("prefix", ["STS", "STS2016"])
def test_pairs_without_a_gold_score_are_left_out(tmp_path: Path, prefix: str) -> None:
    files = {}
    for subset in ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"):
        files[f"{prefix}.input.{subset}.txt"] = (
            f"{subset} one\tother one\tsource\tsource\nnever judged\tat all\n{subset} two\tother two\n"
        )
        files[f"{prefix}.gs.{subset}.txt"] = "3\n\n0\n"
    write(tmp_path / "sts2016-english-with-gs-v1.0", files)
    task = sts("STS16", tmp_path)
    assert len(task.left) == 10
    assert "never judged" not in task.left
    assert task.left[:2] == ("answer-answer one", "answer-answer two")
    assert task.right[:2] == ("other one", "other two")
    assert task.scores.tolist() == [3, 0] * 5


def test_a_year_with_more_pairs_than_scores(tmp_path: Path) -> None:
    files = {f"STS.{kind}.{subset}.txt": "" for kind in ("input", "gs") for subset in ("FNWN", "headlines", "OnWN")}
    write(tmp_path, {**files, "STS.input.headlines.txt": "a\tb\nc\td\n", "STS.gs.headlines.txt": "1\n"})
    with pytest.raises(DataError, match=r"STS\.input\.headlines\.txt has 2 pairs and STS\.gs\.headlines\.txt 1 scores"):
        sts("STS13", tmp_path)


def test_a_year_with_a_line_that_is_no_pair(tmp_path: Path) -> None:
    files = {f"STS.{kind}.{subset}.txt": "" for kind in ("input", "gs") for subset in ("FNWN", "headlines", "OnWN")}
    write(tmp_path, {**files, "STS.input.OnWN.txt": "alone\n", "STS.gs.OnWN.txt": "1\n"})
    with pytest.raises(DataError, match=r"STS\.input\.OnWN\.txt, line 1: 'alone' is not two sentences"):
        sts("STS13", tmp_path)


@pytest.mark.parametrize("folder", ["STS/STSBenchmark", "stsbenchmark", "."])
def test_the_sts_benchmark(tmp_path: Path, folder: str) -> None:
    row = 'main-news\theadlines\t2015\t0007\t{}\tA train "is" late\tThe train is late{}\n'
    files = {
        "sts-train.csv": row.format("4.200", ""),
        "sts-dev.csv": row.format("0", ""),
        "sts-test.csv": row.format("5.0", "") + row.format("0.0", "\tlicence\tmore"),
    }
    write(tmp_path / folder, files)
    task = sts("STS-B", tmp_path)
    assert task.scores.tolist() == [5, 0]
    assert task.left == ('A train "is" late',) * 2
    assert task.right == ("The train is late",) * 2
    assert task.subsets == ("main-news/headlines/2015",) * 2
    soft = classify("STS-B-soft", tmp_path)
    assert soft.soft
    assert soft.labels.tolist() == [4.2, 0, 5, 0]
    assert soft.splits == {"train": slice(0, 1), "dev": slice(1, 2), "test": slice(2, 4)}


def test_the_sts_benchmark_with_a_short_row(tmp_path: Path) -> None:
    write(tmp_path, {"sts-test.csv": "main\tx\t2012\t1\t3\tonly one sentence\n"})
    with pytest.raises(DataError, match=r"sts-test\.csv, line 1: 6 tab-separated fields, 7 are needed"):
        sts("STS-B", tmp_path)


SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"


def write_sick_splits(folder: Path) -> None:
    files = {
        "SICK/SICK_train.txt": SICK_HEADER + "1\tA cat sits\tA cat stands\t3.6\tCONTRADICTION\r\n",
        "SICK/SICK_trial.txt": SICK_HEADER + "2\tA cow eats\tAn animal eats\t4.5\tENTAILMENT\r\n",
        "SICK/SICK_test_annotated.txt": SICK_HEADER + "3\tA boy runs\tIt rains\t1\tNEUTRAL\n4\tA\tA\t5\tENTAILMENT\n",
    }
    write(folder, files)


def write_sick_whole(folder: Path) -> None:
    header = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\textra\tSemEval_set\n"
    rows = (
        "3\tA boy runs\tIt rains\tNEUTRAL\t1\tx\tTEST\n"
        "1\tA cat sits\tA cat stands\tCONTRADICTION\t3.6\tx\tTRAIN\n"
        "4\tA\tA\tENTAILMENT\t5\tx\tTEST\n"
        "2\tA cow eats\tAn animal eats\tENTAILMENT\t4.5\tx\tTRIAL\n"
    )
    write(folder, {"SICK.txt": header + rows})


@pytest.mark.parametrize("writer", [write_sick_splits, write_sick_whole])
def test_sick_as_splits_and_as_a_whole(tmp_path: Path, writer: object) -> None:
    writer(tmp_path)  # type: ignore[operator]
    task = sts("SICK-R", tmp_path)
    assert task.left == ("A boy runs", "A")
    assert task.scores.tolist() == [1, 5]
    entailment = classify("SICK-E", tmp_path)
    assert entailment.classes == ("CONTRADICTION", "ENTAILMENT", "NEUTRAL")
    assert entailment.labels.tolist() == [0, 1, 2, 1]
    assert entailment.left == ("A cat sits", "A cow eats", "A boy runs", "A")
    assert entailment.right == ("A cat stands", "An animal eats", "It rains", "A")
    assert entailment.splits == {"train": slice(0, 1), "dev": slice(1, 2), "test": slice(2, 4)}
    soft = classify("SICK-R-soft", tmp_path)
    assert soft.labels.tolist() == [3.6, 4.5, 1, 5]
    assert soft.classes == ("1", "2", "3", "4", "5")
    assert soft.soft


@pytest.mark.parametrize("name", ["sem_text_rel_ranked.csv", "str.csv", "STR/str.csv"])
def test_str(tmp_path: Path, name: str) -> None:
    rows = 'PairID,Text,Score\nx-1,"He said ""no"", twice\nHe refused",0.75\nx-2,"One line\r\nAnother line",0\n'
    write(tmp_path, {name: rows})
    task = sts("STR", tmp_path)
    assert task.left == ('He said "no", twice', "One line")
    assert task.right == ("He refused", "Another line")
    assert task.scores.tolist() == [0.75, 0]


def test_the_early_str_release_is_read_on_the_scale_from_0_to_1(tmp_path: Path) -> None:
    rows = ',PairID,Score,Adj-Score,Text\n0,a,1.0,1.0,"One\nTwo"\n1,b,-0.5,0.25,"Three\nFour"\n'
    write(tmp_path, {"str5500_ranked.csv": rows})
    assert sts("STR", tmp_path).scores.tolist() == [1, 0.25]


def test_str_with_three_sentences(tmp_path: Path) -> None:
    write(tmp_path, {"str.csv": 'PairID,Text,Score\nx,"One\nTwo\nThree",0.5\n'})
    with pytest.raises(DataError, match="the Text of row 1 has 3 lines"):
        sts("STR", tmp_path)


@pytest.mark.parametrize(
    ("name", "ones", "zeros"),
    [
        ("MR", "rt-polarity.pos", "rt-polarity.neg"),
        ("CR", "custrev.pos", "custrev.neg"),
        ("SUBJ", "subj.objective", "subj.subjective"),
        ("MPQA", "mpqa.pos", "mpqa.neg"),
    ],
)
@pytest.mark.parametrize("folder", ["data/downstream/{}", "{}", "."])
def test_two_files_in_latin_1(tmp_path: Path, name: str, ones: str, zeros: str, folder: str) -> None:
    write(tmp_path / folder.format(name), {ones: "a café\n\nfine\n", zeros: "dull\n"}, encoding="latin-1")
    task = classify(name, tmp_path)
    assert task.left == ("a café", "", "fine", "dull")
    assert task.right == ()
    assert task.labels.tolist() == [1, 1, 1, 0]
    assert task.classes == ("0", "1")
    assert task.splits == {}


def test_sst_binary_and_fine_share_file_names_but_not_folders(tmp_path: Path) -> None:
    write(
        tmp_path / "data" / "downstream" / "SST",
        {
            "binary/sentiment-train": "a joy to see\t1\nslow\t0\n",
            "binary/sentiment-dev": "so good\t1\n",
            "binary/sentiment-test": "so bad\t0\n",
            "fine/sentiment-train": "4 a joy to see\n0 slow\n",
            "fine/sentiment-dev": "2 it is a film\n",
            "fine/sentiment-test": "1 not so good\n3 rather good\n",
        },
    )
    binary = classify("SST2", tmp_path)
    assert binary.left == ("a joy to see", "slow", "so good", "so bad")
    assert binary.labels.tolist() == [1, 0, 1, 0]
    assert binary.splits["test"] == slice(3, 4)
    fine = classify("SST5", tmp_path)
    assert fine.left[:2] == ("a joy to see", "slow")
    assert fine.labels.tolist() == [4, 0, 2, 1, 3]


def test_trec_in_latin_1(tmp_path: Path) -> None:
    files = {
        "TREC/train_5500.label": "DESC:manner How do bees fly ?\nHUM:ind Who was M\xfcller : a baker ?\n",
        "TREC/TREC_10.label": "NUM:date When does it open ?\n",
    }
    write(tmp_path, files, encoding="latin-1")
    task = classify("TREC", tmp_path)
    assert task.left == ("How do bees fly ?", "Who was Müller : a baker ?", "When does it open ?")
    assert task.classes == ("DESC", "HUM", "NUM")
    assert task.labels.tolist() == [0, 1, 2]
    assert task.splits == {"train": slice(0, 2), "test": slice(2, 3)}


@pytest.mark.parametrize("line", ["no label at all", "DESC: ", ":manner How", "DESC"])
def test_trec_with_a_line_of_another_form(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"TREC/train_5500.label": f"NUM:date When ?\n{line}\n", "TREC/TREC_10.label": "HUM:ind Who ?\n"})
    if line == "DESC: ":  # an empty question is still a question
        assert classify("TREC", tmp_path).left[1] == ""
    else:
        with pytest.raises(DataError, match=r"train_5500\.label, line 2: .* is not of the form 'label:detail text'"):
            classify("TREC", tmp_path)


def test_mrpc_with_its_byte_order_mark_and_loose_quotes(tmp_path: Path) -> None:
    header = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
    files = {
        "MRPC/msr_paraphrase_train.txt": header
        + '1\t11\t12\tHe said "yes\tHe agreed\r\n0\t13\t14\tIt rose\tIt fell\r\n',
        "MRPC/msr_paraphrase_test.txt": header + "1\t15\t16\tShe won\tShe came first\r\n",
    }
    write(tmp_path, files)
    task = classify("MRPC", tmp_path)
    assert task.left == ('He said "yes', "It rose", "She won")
    assert task.right == ("He agreed", "It fell", "She came first")
    assert task.labels.tolist() == [1, 0, 1]
    assert task.splits == {"train": slice(0, 2), "test": slice(2, 3)}


@pytest.mark.parametrize(
    ("folder", "suffix", "key"),
    [
        ("scicite", ".jsonl", "string"),
        ("data/text_classification/sci-cite", ".txt", "text"),
        ("sci-cite", ".txt", "text"),
    ],
)
def test_scicite_as_released_and_as_copied(tmp_path: Path, folder: str, suffix: str, key: str) -> None:
    rows = [("background", "Bees fly (1)."), ("method", "We count bees."), ("result", "There are many – as in [2].")]
    files = {
        f"{split}{suffix}": f'{{"{key}": "{text}", "label": "{label}", "metadata": {{}}}}\n'
        for split, (label, text) in zip(("train", "dev", "test"), rows, strict=True)
    }
    write(tmp_path / folder, files)
    task = classify("SCICITE", tmp_path)
    assert task.left == tuple(text for _, text in rows)
    assert task.classes == ("background", "method", "result")
    assert task.labels.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("agnews", "data/agnewsdataraw-8000"),
        ("biomedical", "data/biomedical/biomedical_true_text"),
        ("googleTS", "data/TS"),
        ("searchsnippets", "search_snippets/search_snippets_true_text"),
        ("stackoverflow", "stackoverflow_true_text"),
        ("tweet", "tweet-original-order.txt"),
    ],
)
def test_label_and_text_lines(tmp_path: Path, name: str, file: str) -> None:
    write(tmp_path, {file: "10\tbread and salt\n2\ttea\twith milk\n10\t\n"})
    task = cluster(name, tmp_path)
    assert task.texts == ("bread and salt", "tea\twith milk", "")
    assert task.classes == ("2", "10")  # in the order of numbers, not of strings
    assert task.labels.tolist() == [1, 0, 1]


def test_a_line_without_a_label(tmp_path: Path) -> None:
    write(tmp_path, {"TS": "1\tone\nlonely\n"})
    with pytest.raises(DataError, match=r"TS, line 2: 'lonely' is not of the form 'label<TAB>text'"):
        cluster("googleTS", tmp_path)


@pytest.mark.parametrize(
    ("name", "texts", "labels"),
    [
        ("stackoverflow", "rawText/title_StackOverflow.txt", "rawText/label_StackOverflow.txt"),
        ("stackoverflow", "dataset/StackOverflow.txt", "dataset/StackOverflow_gnd.txt"),
        ("biomedical", "Biomedical.txt", "Biomedical_gnd.txt"),
        ("searchsnippets", "STC2/dataset/SearchSnippets.txt", "STC2/dataset/SearchSnippets_gnd.txt"),
    ],
)
def test_texts_in_one_file_and_labels_in_another(tmp_path: Path, name: str, texts: str, labels: str) -> None:
    write(tmp_path, {texts: "how to sort\nhow to mix\n", labels: " 3\n1 \n"})
    task = cluster(name, tmp_path)
    assert task.texts == ("how to sort", "how to mix")
    assert task.classes == ("1", "3")
    assert task.labels.tolist() == [1, 0]


def test_texts_and_labels_of_different_length(tmp_path: Path) -> None:
    write(tmp_path, {"Biomedical.txt": "one\ntwo\n", "Biomedical_gnd.txt": "1\n"})
    with pytest.raises(DataError, match=r"Biomedical\.txt has 2 lines and .*Biomedical_gnd\.txt 1"):
        cluster("biomedical", tmp_path)


@pytest.mark.parametrize(
    ("name", "file"), [("agnews", "agnews.csv"), ("tweet", "tweet89.csv"), ("googleTS", "googlenews_TS.csv")]
)
def test_text_and_label_csv(tmp_path: Path, name: str, file: str) -> None:
    write(tmp_path, {file: 'text,label\n"bread, salt",1\ntea,0\n'})
    task = cluster(name, tmp_path)
    assert task.texts == ("bread, salt", "tea")
    assert task.labels.tolist() == [1, 0]


def test_original_files_may_be_gzipped(tmp_path: Path) -> None:
    for name, text in {"custrev.pos": "good\n", "custrev.neg": "bad\n"}.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert classify("CR", tmp_path).left == ("good", "bad")


def test_tidy_comes_before_the_original(tmp_path: Path) -> None:
    write(tmp_path, {"custrev.pos": "good\n", "custrev.neg": "bad\n", "CR.tsv": "label\ttext\n1\ttidy\n0\tform\n"})
    assert classify("CR", tmp_path).left == ("tidy", "form")
