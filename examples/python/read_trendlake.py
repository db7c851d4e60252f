"""Read a lake from Python.

    python3 read_trendlake.py sqlite DATA_DIR    # standard library only
    python3 read_trendlake.py pandas DATA_DIR    # pip install pandas
    python3 read_trendlake.py polars DATA_DIR    # pip install polars
    python3 read_trendlake.py duckdb DATA_DIR    # pip install duckdb
    python3 read_trendlake.py service http://127.0.0.1:8787/v1 KEY

Tried: `sqlite` with Python 3. Our tests also run pandas, polars and duckdb where they are installed.
Not tried: pandas, polars and duckdb on the machine of the last release, and `service`.
"""

import json
import pathlib
import sqlite3
import sys
import urllib.request

FEED = "select platform, rank, title, views from feed_now where rank <= 3 order by platform, rank"


def connect(folder):
    """Open the lake for reading. The file: form keeps a reader from ever writing."""
    path = pathlib.Path(folder, "trendlake.db").resolve()
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)


def with_sqlite(folder):
    return connect(folder).execute(FEED).fetchall()


def with_pandas(folder):
    import pandas

    return pandas.read_sql_query(FEED, connect(folder))


def with_polars(folder):
    import polars

    return polars.read_parquet(f"{folder}/parquet/videos/*.parquet").select("platform", "id").head(3)


def with_duckdb(folder):
    import duckdb

    files = f"{folder}/parquet/videos/*.parquet"
    return duckdb.sql(f"select platform, count(*) from '{files}' group by 1 order by 1").fetchall()


def from_service(base_url, key):
    request = urllib.request.Request(f"{base_url}/feed/tiktok?limit=3", headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request) as response:
        return [(item["rank"], item["title"]) for item in json.load(response)["items"]]


WAYS = {
    "sqlite": with_sqlite,
    "pandas": with_pandas,
    "polars": with_polars,
    "duckdb": with_duckdb,
    "service": from_service,
}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in WAYS:
        sys.exit(__doc__)
    print(WAYS[sys.argv[1]](*sys.argv[2:]))
