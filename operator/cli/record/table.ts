import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  server: {
    type: 'text',
    value: 'URL',
    help: 'the kubectl proxy of the cluster, such as http://127.0.0.1:8001',
  },
  out: { type: 'path', value: 'DIR', help: 'folder for the recording; made when it is missing' },
  port: { type: 'port', default: '8002', help: 'where clients connect; 0 for any free one' },
  name: {
    type: 'text',
    value: 'NAME',
    default: 'recording',
    help: 'the file is DIR/NAME.jsonl',
  },
  force: { help: 'overwrite a file of that name' },
} as const;

/** The command line of `chancery record`. */
export const RECORD: CommandTable<typeof OPTIONS> = {
  name: 'record',
  summary:
    'record what a cluster answers, to compare the embedded API server with it; run --record records an operator',
  usage: ['--server URL --out DIR [OPTION...]'],
  options: OPTIONS,
  isLasting: true,
  needsWords: true,
  description: `Listens on loopback, sends every request on to the kubectl proxy at URL, and records it with its answer. Point
kubectl, an operator or any other client at the URL on standard output. SIGINT or SIGTERM ends the recording and writes
its file.

The file has one exchange a line, as "npm run conformance -- DIR" of Chancery's repository replays them. What an operator
does is recorded by "chancery run --record", and replayed by "chancery replay".`,
  notes: `Credentials and the data of Secrets never reach the disk. Each value has a placeholder instead, the same in requests
and answers, so that a replay compares as before. ConfigMaps and all else are recorded as they are: read the file before
you hand it on.

Left out are bodies in CBOR, and in protobuf where @chancery/testing is not installed, requests over 4 MiB, exec, attach
and port-forward. Of answers over 300,000 bytes only status and type are recorded. A recording has at most 20,000 exchanges and 256 MiB, a watch at
most 16 MiB and an hour. What comes later passes, and is not recorded.`,
  exitCodes: {
    0: 'asked to stop, and the recording is written',
    1: 'the server cannot be reached, the port is taken, or the recording cannot be written',
    2: 'the command line is wrong, or the file exists already',
  },
  examples: `  kubectl proxy --port 8001 &
  chancery record --server http://127.0.0.1:8001 --out recordings
  kubectl --server=http://127.0.0.1:8002 apply -f app.yaml`,
};
