# shellcheck shell=bash
# The virtual environment in .venv; sourced by the scripts beside this folder, in the project's root.

fail() {
    echo "$*" >&2
    exit 1
}

fits() { # Is this a Python that Hindsight supports?
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1
}

find_python() { # Prints the first Python that can make a virtual environment.
    local candidate without_venv=""
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        fits "$candidate" || continue
        if "$candidate" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
        without_venv=${without_venv:-$candidate}
    done
    [ -z "$without_venv" ] ||
        fail "$without_venv cannot make virtual environments: on Debian or Ubuntu run" \
            "'apt install $("$without_venv" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')'."
    fail "Hindsight needs Python 3.11, 3.12 or 3.13: install one, or set PYTHON to its path."
}

installed() { # Were these requirements files installed completely, as they are now?
    local file
    fits .venv/bin/python || return 1
    for file in "$@"; do
        cmp -s "$file" ".venv/$file.installed" || return 1
    done
}

writable() { # Can .venv be made and filled?
    mkdir -p .venv 2>/dev/null && [ -w .venv ] && touch .venv/.writable 2>/dev/null &&
        rm -f .venv/.writable
}

make_environment() { # Makes .venv unless it is there and whole.
    local python
    writable || fail "$PWD is not writable for $(id -un): change its owner, or copy the project to a" \
        "directory of your own."
    if fits .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then
        return
    fi
    python=$(find_python)
    echo "Making a virtual environment with $("$python" --version) …" >&2
    "$python" -m venv --clear .venv ||
        fail "The virtual environment $PWD/.venv could not be made: see the lines above."
}

show_progress() { # Reads what pip says; prints a line now and then instead of some hundred.
    awk '/^(Collecting|Processing|Requirement already)/ { if (++found % 25 == 0) say(found " packages found …") }
        /^Installing collected packages/ { say("Unpacking them (a minute or two) …") }
        function say(what) { print "  " what; fflush() }'
}

install() { # Installs the first requirements file; the others are those that it includes.
    local file
    ! installed "$@" || return 0
    make_environment
    echo "Installing the requirements (once; the first time takes some minutes) …" >&2
    .venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off \
        -r "$1" 2>&1 | tee .venv/install.log | show_progress >&2 || {
        tail -n 15 .venv/install.log >&2
        fail "The requirements could not be installed: see the lines above and $PWD/.venv/install.log," \
            "then run this again; it goes on where it stopped."
    }
    for file in "$@"; do
        cp "$file" ".venv/$file.installed"
    done
}
