#!/usr/bin/env bash
# Exports programs and runs them by JAX: in one process with 8 devices, and in two with 4 each.
#
#     python3 -m venv venv && venv/bin/pip install jax
#     examples/xla/run.sh venv/bin/python [FOLDER]
set -euo pipefail
python=$(realpath -s "$1")
folder=${2:-$(mktemp -d)}
cd "$(dirname "$0")"
cargo run --quiet -p stablehlo --example modules -- "$folder"
for name in standardise softmax; do
    expected=$folder/$name.expected.npy
    echo "$name: one process, 8 devices"
    "$python" run.py "$folder" "$name" --devices 8 --expected "$expected"
    echo "$name: two processes, 4 devices each"
    port=$((20000 + RANDOM % 20000))
    two=(--devices 4 --processes 2 --coordinator "localhost:$port")
    "$python" run.py "$folder" "$name" "${two[@]}" --process 1 > "$folder/second.txt" 2>&1 &
    second=$!
    "$python" run.py "$folder" "$name" "${two[@]}" --process 0 --expected "$expected"
    wait "$second"
done
