import firstmover


def test_every_public_name_exists_and_the_list_is_sorted_without_doubles() -> None:
    assert len(set(firstmover.__all__)) == len(firstmover.__all__)
    for name in firstmover.__all__:
        assert getattr(firstmover, name).__doc__ or name.isupper()
