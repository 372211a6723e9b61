"""Bad inputs of an operator and of a performance engineer: words, exit code, and what the error says.

"coxd ..." is `coxd --check-config ...`, "cox-bench ..." is the bench, all others are words after `cox`. {NAME} is a file
of FILES. With exit code 0 the words are allowed, and what is said is a warning or a note.
"""

OK, WRONG, NOT_FOUND, REFUSED = 0, 2, 3, 5

OBSERVATIONS = "machine,library,collective,algorithm,nodes,ppn,ranks,block_bytes,time_s\n"
SAMPLES = "machine,kind,level,pattern,pairs,block_bytes,time_s\n"
QUESTIONS = "machine,library,collective,nodes,ppn,ranks,block_bytes,candidates\n"


def row(**changes):
    values = {"machine": "lab", "library": "openmpi-4.1", "collective": "bcast", "algorithm": "binomial", "nodes": 2,
              "ppn": 4, "ranks": 8, "block_bytes": 64, "time_s": 1e-5, **changes}
    return ",".join(str(value) for value in values.values()) + "\n"


def rows(**changes):
    return OBSERVATIONS + row(**changes)


def more_columns(**values):
    return OBSERVATIONS.strip() + "".join("," + name for name in values) + "\n" + row().strip() + "".join(
        f",{value}" for value in values.values()) + "\n"


def machine(name='"x"', nodes=4, more=""):
    return f"[machine]\nname = {name}\nnodes = {nodes}\ncores_per_node = 2\n{more}"


def parameter(model="hockney", level="network", name="alpha", more="value = 1e-6"):
    return f'[[profile.parameter]]\nmodel = "{model}"\nlevel = "{level}"\nname = "{name}"\n{more}\n'


def question(**changes):
    values = {"machine": "lab", "library": "openmpi-4.1", "collective": "bcast", "nodes": 2, "ppn": 4, "ranks": 8,
              "block_bytes": 64, "candidates": "", **changes}
    return QUESTIONS + ",".join(str(value) for value in values.values()) + "\n"


FILES = {
    # settings of coxd
    "no_value.toml": "listen = \n",
    "unknown_key.toml": 'lisen = "127.0.0.1:0"\n',
    "unquoted.toml": "data = \"d\"\nlisten = 127.0.0.1:1  # here\n",
    "text_for_number.toml": 'max-connections = "many"\n',
    # machines
    "empty.toml": "",
    "no_name.toml": "[machine]\nnodes = 2\ncores_per_node = 2\n",
    "negative.toml": machine(nodes=-2),
    "words.toml": machine(nodes='"two"'),
    "capitals.toml": machine('"Big Machine"'),
    "bare.toml": machine("x1"),
    "topology.toml": machine(more='[machine.topology]\nkind = "fat-tre"\n'),
    "misspelt.toml": "[machine]\nname = \"x\"\nnode = 2\ncores_per_node = 2\n",
    "level.toml": machine(more=parameter(level="net")),
    "below_zero.toml": machine(more=parameter(more="value = -1e-6")),
    "furlong.toml": machine(more=parameter(more='value = 1\nunit = "furlong"')),
    "one_level.toml": machine('"one-level"', more=parameter() + parameter(name="beta")),
    "topology.conf": "SwitchName=s1 Nodes=n[1-3]\n",
    "other_shape.toml": machine('"lab"', 7),
    # observations
    "no_header.csv": row(),
    "capitals.csv": OBSERVATIONS.replace("machine", "Machine", 1),
    "semicolons.csv": OBSERVATIONS.replace(",", ";"),
    "no_time.csv": OBSERVATIONS.replace(",time_s", ""),
    "semicolons.csv": rows().replace(",", ";"),
    "twice.csv": OBSERVATIONS.strip() + ",time_s\n",
    "zero_time.csv": rows(time_s=0),
    "nan.csv": rows(time_s="nan"),
    "unit.csv": rows(time_s="5us"),
    "ranks.csv": rows(ranks=9),
    "half.csv": rows(nodes=1.5),
    "less.csv": rows(block_bytes=-1),
    "kilo.csv": rows(block_bytes="4k"),
    "no_collective.csv": rows(collective=""),
    "short.csv": OBSERVATIONS + "lab,openmpi-4.1\n",
    "guess.csv": more_columns(kind="guess"),
    "maximum.csv": more_columns(statistic="max"),
    "yesterday.csv": more_columns(at="yesterday"),
    "quote.csv": OBSERVATIONS + '"lab,openmpi\n',
    "nothing.csv": "",
    "binary.csv": "\0\1\2",
    "colour.csv": more_columns(colour="red"),
    "quux.csv": rows(algorithm="quux"),
    "openmpi.csv": rows(library="openmpi"),
    "seconds.csv": rows(time_s=5.2),
    # samples
    "no_samples.csv": SAMPLES,
    "pingpang.csv": SAMPLES + "lab,pingpang,network,x,1,8,1e-6\n",
    "net.csv": SAMPLES + "lab,pingpong,net,x,1,8,1e-6\n",
    "time.csv": SAMPLES + "lab,pingpong,network,x,1,8,-1\n",
    "other.csv": SAMPLES + "other,pingpong,network,x,1,8,1e-6\n",
    "no_pairs.csv": SAMPLES + "lab,pingpong,network,x,0,8,1e-6\n",
    # questions
    "empty_graph.json": "{}",
    "no_number.json": '{"name": "wire",\n "a_s": NaN}',
    "list.json": "[1]",
    "field.json": '{"nam": "wire"}',
    "no_questions.csv": QUESTIONS,
    "full.csv": question(ranks=9),
    "library.csv": question(library="openmpi-9"),
    "collective.csv": question(collective="bcst"),
    "candidate.csv": question(candidates="binomal"),
    "machine.csv": question(machine="nosuch"),
}

OPERATOR = [
    # settings
    ("coxd --listen 127.0.0.1:99999", WRONG, "listen: must be 127.0.0.1:PORT"),
    ("coxd --listen 127.0.0.1", WRONG, "listen: must be 127.0.0.1:PORT"),
    ("coxd --listen 0.0.0.0:7077", WRONG, "is reachable from other hosts and has no TLS"),
    ("coxd --http 0.0.0.0:7078", WRONG, "http: 0.0.0.0:7078 is reachable from other hosts"),
    ("coxd --log-level loud", WRONG, "log-level: must be debug, info, warning or error"),
    ("coxd --insecure perhaps", WRONG, 'insecure: must be true or false; it is "perhaps"'),
    ("coxd --socket-mode 0999", WRONG, "socket-mode: must be an octal mode in 0..0777"),
    ("coxd --socket-group nosuchgroup", OK, 'socket-group: there is no group "nosuchgroup" on this host'),
    ("coxd --max-connections 0", WRONG, "max-connections: must be a whole number in 1..1000000"),
    ("coxd --idle-timeout soon", WRONG, "idle-timeout: must be a duration such as"),
    ("coxd --max-message 10", WRONG, "max-message: must be a size such as 8MiB"),
    ("coxd --roles alice=king", WRONG, "ROLE must be none, viewer, reporter, operator or admin"),
    ("coxd --store mysql://x", WRONG, "store: must be sqlite or postgresql://"),
    ("coxd --quota-rows -1", WRONG, "quota-rows: must be a whole number"),
    ("coxd --relay 127.0.0.1:99999", WRONG, "a port within 1..65535"),
    ("coxd --tls-key k", WRONG, "tls-key: is needed with tls-certificate"),
    ("coxd --config /nosuch.toml", WRONG, "/nosuch.toml: "),
    ("coxd --roles *=reporter --listen unix:/s", OK, "roles names other users, but only the user of coxd"),
    ("coxd --roles root=admin,@root=viewer --listen unix:/s --socket-mode 0644", OK, "set socket-mode (0660"),
    ("coxd --config {no_value.toml}", WRONG, "no_value.toml:1: listen: the value is missing"),
    ("coxd --config {unquoted.toml}", WRONG, 'unquoted.toml:2: listen: put the value in quotes: listen = "127.0.0.1:1"'),
    ("coxd --config {unknown_key.toml}", WRONG, 'there is no key "lisen" (did you mean listen?)'),
    ("coxd --config {text_for_number.toml}", WRONG, 'max-connections: must be a whole number in 1..1000000; it is "many"'),
    ("coxd --retntion-age 90d", WRONG, 'argument "--retntion-age" (did you mean --retention-age?)'),
    ("coxd start", WRONG, 'there is no option or argument "start"'),
    # machines and profiles
    ("machine import /nosuch.toml", NOT_FOUND, "/nosuch.toml: No such file"),
    ("machine import {empty.toml}", REFUSED, "[machine] with name, nodes and cores_per_node is needed"),
    ("machine import {no_name.toml}", REFUSED, "no_name.toml:1: machine.name: is missing"),
    ("machine import {negative.toml}", REFUSED, "negative.toml:3: machine.nodes: must be an integer within 1.."),
    ("machine import {words.toml}", REFUSED, "words.toml:3: machine.nodes: must be an integer"),
    ("machine import {capitals.toml}", REFUSED, "capitals.toml:2: machine.name: is 'Big Machine'"),
    ("machine import {bare.toml}", REFUSED, 'bare.toml:2: name: put the value in quotes: name = "x1"'),
    ("machine import {topology.toml}", REFUSED, "topology.kind: must be one of crossbar, bus, mesh"),
    ("machine import {misspelt.toml}", REFUSED, "misspelt.toml:3: machine.node: is not known here"),
    ("machine import {level.toml}", REFUSED, "profile.parameter.level: must be self, node, socket or network"),
    ("machine import {below_zero.toml}", REFUSED, "profile.parameter.value: must be a finite number >= 0"),
    ("machine import {furlong.toml}", REFUSED, "unit: is 'furlong', the model takes 's'"),
    ("machine import {other_shape.toml}", REFUSED, '"lab" is registered with another shape'),
    ("machine import {other_shape.toml}", REFUSED, "keep its timings: `cox observations export -m lab -o FILE`, `cox machine delete lab`"),
    ("observations import {capitals.csv}", REFUSED, "capitals.csv:1:machine: the header lacks this column, which is required; it has Machine: write names in small letters"),
    ("observations import {semicolons.csv}", REFUSED, "its fields have semicolons between them: use commas"),
    ("machine import {one_level.toml}", OK, "no model can predict with this profile: hockney needs node.alpha, node.beta; "),
    ("machine switches lab --taper 2", WRONG, "--taper needs --slurm, --ibnetdiscover or --file"),
    ("machine switches lab --hop-time 100ns", WRONG, "--hop-time needs --slurm, --ibnetdiscover or --file"),
    ("machine switches lab --slurm {topology.conf}", OK, "topology.conf describes 3 nodes, but lab has 2: is it the file of another machine?"),
    ("machine switches lab --slurm {unquoted.toml}", REFUSED, "unquoted.toml: line 1"),
    ("machine switches lab --ibnetdiscover {topology.conf}", REFUSED, "topology.conf: "),
    ("machine switches lab --file {nothing.csv}", REFUSED, "nothing.csv: is empty; "),
    ("machine lst", WRONG, 'there is no verb "lst" (did you mean list?)'),
    ("machine show nosuch", NOT_FOUND, "machine nosuch does not exist"),
    ("machine undelete nosuch", NOT_FOUND, "no machine nosuch was deleted in the last 30 days"),
    ("machine show lab lab2", WRONG, '"lab2" is one argument too many'),
    ("profile show lab@99", NOT_FOUND, "machine lab has no profile 99"),
    ("profile pin lab", WRONG, "'lab' names no revision: write lab@REV"),
    ("profile rollback lab@0", WRONG, "the revision is '0', must be within 1.."),
    ("profile accept lab", REFUSED, 'nothing is held back for machine "lab"'),
    # imports
    ("observations import /", REFUSED, "/: is a directory, a CSV file is needed"),
    ("observations import {no_header.csv}", REFUSED, "no_header.csv:1:machine: the header lacks this column"),
    ("observations import {no_time.csv}", REFUSED, "no_time.csv:1:time_s: the header lacks this column"),
    ("observations import {semicolons.csv}", REFUSED, "semicolons.csv:1:machine: the header lacks this column"),
    ("observations import {twice.csv}", REFUSED, "time_s: the header names this column twice"),
    ("observations import {zero_time.csv}", REFUSED, "zero_time.csv:2:time_s: is '0', must be > 0"),
    ("observations import {nan.csv}", REFUSED, "nan.csv:2:time_s: is 'nan', must be finite"),
    ("observations import {unit.csv}", REFUSED, "unit.csv:2:time_s: is '5us', not a number"),
    ("observations import {ranks.csv}", REFUSED, "ranks.csv:2:ranks: is 9, but nodes x ppn is 8"),
    ("observations import {half.csv}", REFUSED, "half.csv:2:nodes: is '1.5', not an integer"),
    ("observations import {less.csv}", REFUSED, "less.csv:2:block_bytes: is '-1', must be within 0.."),
    ("observations import {kilo.csv}", REFUSED, "kilo.csv:2:block_bytes: is '4k', not an integer"),
    ("observations import {no_collective.csv}", REFUSED, "no_collective.csv:2:collective: is empty"),
    ("observations import {short.csv}", REFUSED, "short.csv:2: has 2 fields, the header has 9"),
    ("observations import {guess.csv}", REFUSED, "kind: is 'guess', must be benchmark or job"),
    ("observations import {maximum.csv}", REFUSED, "statistic: is 'max', must be mean, median or min"),
    ("observations import {yesterday.csv}", REFUSED, "at: is 'yesterday', must be a time like"),
    ("observations import {quote.csv}", REFUSED, "a quote is opened and never closed"),
    ("observations import {nothing.csv}", REFUSED, "nothing.csv: is empty, a header line"),
    ("observations import {binary.csv}", REFUSED, "this is not a text file"),
    ("observations import {colour.csv}", OK, "ignores the columns colour"),
    ("observations import {quux.csv}", OK, "with an unknown algorithm, learned from data alone: bcast/quux"),
    ("observations import {openmpi.csv}", OK, "openmpi (did you mean openmpi-4.1 or openmpi-5.0?)"),
    ("observations import {seconds.csv}", OK, "are they seconds? 5.200 s for 64 B on 8 ranks"),
    ("observations forget --source nosuch", NOT_FOUND, "no observations of source nosuch"),
    ("observations forget", WRONG, "Exactly 1 option from [--job,--source] is required"),
    ("observations list --since noon", WRONG, "--since: is 'noon', must be a time since 1970 like"),
    ("observations list --machine nosuch", NOT_FOUND, "machine nosuch does not exist"),
    # tokens and other access
    ("token create ci", WRONG, "--role is required"),
    ("token create ci --role king", WRONG, "--role: king not in {viewer,reporter,operator,admin}"),
    ("token create CI! --role viewer", REFUSED, "token.name: must have 1 to 48 of a-z, 0-9"),
    ("token create ci --role viewer --lifetime 0d", WRONG, "--lifetime: is '0d', must be a time such as 90d"),
    ("token revoke nosuch", NOT_FOUND, 'there is no token "nosuch"'),
    ("token revoke jobs/4711", REFUSED, "this coxd takes no credential of a job (munge-names)"),
    ("audit --since never", WRONG, "--since: is 'never'"),
    ("audit --limit x", WRONG, "--limit: is 'x', not an integer"),
    ("store restore /nosuch", WRONG, "pass --data DIR"),
    ("store restore /nosuch --data /mistyped", REFUSED, "/mistyped is not a directory"),
    ("coxd --restore /nosuch", WRONG, "--restore needs --data DIR"),
    ("--token-file /nosuch machine list", NOT_FOUND, "/nosuch: No such file"),
    ("--token-file /tmp machine list", REFUSED, "/tmp: is a directory"),
    ("--timeout soon machine list", WRONG, "--timeout: is 'soon', must be seconds"),
    ("--jsn machine list", WRONG, "there is no option --jsn (did you mean --json?)"),
    ("watch nosuch", NOT_FOUND, "machine nosuch does not exist"),
]

POINT = "-m lab -c bcast -p 8 -b 64"
NEAREST_BCAST = '"bcst": unknown (did you mean bcast?)'

ENGINEER = [
    # predict and explain
    ("predict", WRONG, "--machine is required"),
    ("predict -m lab -c bcast -p 8", WRONG, "--bytes is required"),
    ("predict -m nosuch -c bcast -p 8 -b 64", NOT_FOUND, 'there is no machine "nosuch"'),
    ("predict -m lab@9 -c bcast -p 8 -b 64", WRONG, "--machine: is 'lab@9'"),
    ("predict -m lab -c bcst -p 8 -b 64", NOT_FOUND, NEAREST_BCAST),
    ("predict -m lab -c bcast -p 0 -b 64", WRONG, "--ranks: '0' must be within 1.."),
    ("predict -m lab -c bcast -p 99999999999999999999 -b 64", WRONG, "'99999999999999999999' must be within 1.."),
    ("predict -m lab -m lab -c bcast -p 8 -b 64", WRONG, "--machine may be given once; see `cox predict --help`"),
    ("predict -m lab -c bcast -p 8 -b 1..", WRONG, "'1..' is not a sweep: write FROM..TO, as in 1k..1M:*2"),
    ("predict -m lab -c bcast -p 8 -b ..8", WRONG, "'..8' is not a sweep"),
    ("predict -m lab -c bcast -p eight -b 64", WRONG, "--ranks: 'eight' is not a number"),
    ("predict -m lab -c bcast -p 8 -b 64XB", WRONG, "--bytes: '64XB' is not a size"),
    ("predict -m lab -c bcast -p 8 -b 64..8:*2", WRONG, "'64..8:*2' goes down"),
    ("predict -m lab -c bcast -p 8 -b 1..64:*1", WRONG, "'*1' is not a step"),
    ("predict -m lab -c bcast -p 8 -b 99999999999999999999", WRONG, "is more than 2^62 bytes"),
    (f"predict {POINT} --ppn 0", WRONG, "--ppn: is '0', must be within 1.."),
    (f"predict {POINT} --type-bytes 0", WRONG, "--type-bytes: is '0', must be within 1.."),
    (f"predict {POINT} --strategy bcast/binomal", NOT_FOUND, 'algorithm "binomal" of bcast is not known'),
    (f"predict {POINT} --strategy alltoall/linear", REFUSED, '"alltoall/linear" is not a strategy of bcast'),
    (f"predict {POINT} --strategy bcast/chain?segmnt=8", REFUSED, '"chain" has no knob "segmnt", only segment,fanout'),
    (f"predict {POINT} --model hockny", NOT_FOUND, 'model "hockny" is not known; choose from hockney'),
    (f"predict {POINT} --placement random", WRONG, "--placement: random not in {block,cyclic}"),
    (f"predict {POINT} --root 8", REFUSED, "root: 8 is not between 0 and 7"),
    (f"predict {POINT} --what-if hockney.network.alpha", WRONG, "is not a change: write PARAMETER*FACTOR"),
    (f"predict {POINT} --what-if hockny.network.alpha=1us", REFUSED, 'no model has a parameter "hockny.network.alpha"'),
    (f"predict {POINT} --what-if max-rate.network.alpha=1MB", REFUSED, "max-rate.network.alpha is in 's', not in 'byte'"),
    (f"predict {POINT} --csv /nosuch/x", NOT_FOUND, "/nosuch/x: No such file"),
    (f"explain {POINT} --from 1k --to 64", WRONG, "--from: is 1024 bytes, more than --to, which is 64"),
    ("strategies -c bcst", NOT_FOUND, NEAREST_BCAST),
    ("strategies --library openmpi-9", NOT_FOUND, 'there is no library "openmpi-9"'),
    ("kernel -m lab --kernel matmull -n 8 -p 4", NOT_FOUND, 'kernel "matmull": there are only matmul-3d'),
    ("kernel -m lab --kernel sample-sort?variant=x -n 8 -p 4", NOT_FOUND, "sample-sort?variant=ssdr, "),
    ("reduce --file {empty_graph.json}", REFUSED, "empty_graph.json: has no block: give a_s and b_s_per_byte"),
    ("reduce --file {no_number.json}", REFUSED, "no_number.json:2: is not JSON: "),
    ("reduce --file {semicolons.csv}", REFUSED, "semicolons.csv:1: is not JSON: "),
    ("reduce --file {field.json}", REFUSED, "field.json: "),
    ("reduce --file {list.json}", REFUSED, "list.json: Root element must be a message"),
    ("pattern -m lab --pattern ringg -p 4 -b 8", NOT_FOUND, 'pattern "ringg" is not known; choose from shift'),
    # recommend
    ("recommend -m lab -c bcst -p 8 -b 64", REFUSED, '"bcst" has no strategies (did you mean bcast?)'),
    (f"recommend {POINT} --library openmpi-9", NOT_FOUND, 'unknown library "openmpi-9"'),
    (f"recommend {POINT} --librry mpich-4.0", WRONG, "there is no option --librry (did you mean --library?)"),
    (f"recommend {POINT} --candidates binomal", REFUSED, "openmpi-4.1 bcast (did you mean binomial?)"),
    (f"recommend {POINT} --nodes 1 --ppn 4", REFUSED, "ranks: 8 ranks do not fit 1 node of 4 ranks"),
    (f"recommend {POINT} --assume lucky", WRONG, "--assume: lucky not in {commutative"),
    ("recommend --batch /nosuch", NOT_FOUND, "/nosuch: No such file"),
    ("recommend --batch {no_questions.csv}", OK, "no_questions.csv: has no questions"),
    ("recommend --batch {full.csv}", REFUSED, "full.csv:2:ranks: is 9, but nodes x ppn is 8"),
    ("recommend --batch {library.csv}", REFUSED, 'unknown library "openmpi-9"'),
    ("recommend --batch {collective.csv}", REFUSED, '"bcst" has no strategies (did you mean bcast?)'),
    ("recommend --batch {candidate.csv}", REFUSED, 'unknown algorithm "binomal"'),
    ("recommend --batch {machine.csv}", REFUSED, 'there is no machine "nosuch"'),
    ("suggest -m lab --library nosuch", NOT_FOUND, 'nothing is known of "nosuch" on machine lab'),
    ("suggest -m lab --library openmpi-4.1 -n 0", WRONG, "--count: is '0', must be within 1..1000"),
    # tune
    ("tune -m lab --library openmpi-4.1", WRONG, "--nodes is required"),
    ("tune -m lab --nodes 2", WRONG, "--library is required"),
    ("tune -m lab --nodes 2 --library openmpi-9", NOT_FOUND, '"openmpi-9" has no table of algorithms to tune'),
    ("tune -m lab --nodes 2 --library openmpi-4.1 --format json", REFUSED, '"json" is not a format of openmpi-4.1'),
    ("tune -m lab --nodes 2 --library openmpi-4.1 -c bcst", REFUSED, NEAREST_BCAST),
    ("tune -m lab --nodes 2 --library openmpi-4.1 -c bcast,bcast", REFUSED, 'collectives[1]: "bcast" is given twice'),
    ("tune -m lab --nodes 2 --library openmpi-4.1 -o /nosuch/x", NOT_FOUND, "/nosuch/x: No such file"),
    ("tune -m lab --nodes 2 --library openmpi-4.1 --shell bash", WRONG, "--shell: bash not in {sh,csh,fish}"),
    ("tune --check /nosuch --library openmpi-4.1", NOT_FOUND, "/nosuch: No such file"),
    # calibrate
    ("calibrate", WRONG, "machine is required"),
    ("calibrate Lab! --quick", WRONG, "machine: is 'Lab!', a machine's name is"),
    ("calibrate lab --budget soon", WRONG, "--budget: is 'soon', must be a time from 1s to 24h"),
    ("calibrate lab --collectives bcst --quick", WRONG, NEAREST_BCAST),
    ("calibrate lab --collectives bcast,barrier --quick", WRONG,
     "--collectives: cox-bench does not time barrier; it times alltoall, bcast, allreduce, allgather, scatter, gather"),
    ("calibrate lab -p 1 --quick", WRONG, "--ranks: at least 2 ranks are needed"),
    ("calibrate lab --from x --quick", WRONG, "--from excludes --quick"),
    ("calibrate lab --skip-bad", WRONG, "--skip-bad requires --from"),
    ("calibrate lab --from {no_samples.csv}", REFUSED, "no_samples.csv: has no rows to learn from"),
    ("calibrate lab --from {pingpang.csv}", REFUSED, 'pingpang.csv:2:kind: unknown kind "pingpang"; there are: pingpong'),
    ("calibrate lab --from {net.csv}", REFUSED, "net.csv:2:level: is 'net', must be self, node"),
    ("calibrate lab --from {time.csv}", REFUSED, "time.csv:2:time_s: is '-1', must be > 0"),
    ("calibrate lab --from {other.csv}", REFUSED, "machine: is 'other', but it is 'lab' that is being calibrated"),
    ("calibrate lab --from {no_pairs.csv}", REFUSED, "no_pairs.csv:2:pairs: is '0', must be within 1.."),
    # run
    ("run", WRONG, "a command to run, after --, is required"),
    ("run true", WRONG, "write -- before the command: `cox run -- true ...`"),
    ("run --mode off echo --json B --timeout 5", WRONG, "write -- before the command: `cox run -- echo ...`"),
    ("run --mode fast true", WRONG, "--mode: fast not in {off,tune,observe,apply}"),
    ("run --explore 200% true", WRONG, "--explore: is '200%', must be at most 50%"),
    ("run --explore 5 true", WRONG, "--explore: is '5', must be at most 50%: write 5% (or 0.05)"),
    ("run --canary 5 true", WRONG, "--canary: is '5', must be at most 50%: write 5% (or 0.05)"),
    ("run --canary x true", WRONG, "--canary: is 'x', not a share: write 5% (or 0.05)"),
    ("run --canary 5%% true", WRONG, "--canary: is '5%%', not a share"),
    ("run --limit -1 true", WRONG, "--limit: is '-1', must be within 1..60000"),
    ("run --library nosuch -m lab --nodes 1 --ppn 1 true", WRONG, 'there is no library "nosuch"'),
    ("run --ours --mode tune true", WRONG, "--ours needs --mode apply"),
    ("run --nodes x true", WRONG, "--nodes: is 'x', not an integer"),
    # cox-bench
    ("cox-bench", WRONG, "no mode: p2p, blocks, collectives or suite"),
    ("cox-bench p2q", WRONG, "'p2q' is not a mode"),
    ("cox-bench p2p --machne here", WRONG, "'--machne' (did you mean --machine?)"),
    ("cox-bench p2p --machine X!", WRONG, "--machine: 'X!' may only have letters"),
    ("cox-bench collectives --collectives bcst", WRONG, "'bcst' is unknown; cox-bench times allgather"),
    ("cox-bench collectives --label x", WRONG, "'x' is not COLLECTIVE=ALGORITHM"),
]
