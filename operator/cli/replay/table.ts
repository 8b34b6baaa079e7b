import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  until: {
    type: 'text',
    value: 'TIME',
    help: 'replay nothing later: 12.5s since the recorder began, or a time such as 2026-01-31T12:00:00Z',
  },
  key: { type: 'text', value: 'KEY', help: 'compare this key alone, as NAMESPACE/NAME' },
  inspect: {
    help: 'wait for a debugger, and stop before each attempt; with --key, before those at that key',
  },
  html: { type: 'path', value: 'FILE', help: 'write the record as a page with a timeline' },
  'to-test': {
    type: 'path',
    value: 'OUT.test.ts',
    help: 'write a test that fails as long as the code does what was recorded',
  },
  force: {
    help: 'overwrite the files of --html and --to-test; replay a record although some of its controllers are missing',
  },
} as const;

/** The command line of `chancery replay`. */
export const REPLAY: CommandTable<typeof OPTIONS> = {
  name: 'replay',
  summary: 'run controllers against a record of run --record, and compare what they do',
  usage: ['FILE MODULE... [OPTION...] [-- ARGUMENT...]', 'FILE --html FILE'],
  arguments: [
    { name: 'FILE', isPath: true },
    { name: 'MODULE', isPath: true, repeats: true },
  ],
  rest: 'ARGUMENT...',
  options: OPTIONS,
  needsWords: true,
  description: `Runs the controllers of the modules again, offline and in virtual time, against a record that "chancery run --record"
has written: requests get the recorded answers, watches the recorded events, and attempts begin when they began. What the
controllers write and decide is compared with the record, key by key. The first difference is printed: what was recorded,
what happens now, the key and the time.

Where a module has changed since the record, the replay goes on after a difference. @chancery/testing then answers what
the record does not have, with its API server in the recorded state. Without arguments after "--" modules get those of
the record.`,
  notes: `Values of Secrets are not in a record: controllers get placeholders, and digests of such values are not compared.
Events are not compared either. Code that keeps something in memory begins without it, as after a restart. The replay
of a replica begins when it got its leadership, and ends with the last loss of it.`,
  exitCodes: {
    0: 'the controllers do what is recorded',
    1: 'they do otherwise',
    2: 'the record cannot be read or replayed, or a module does not load',
  },
  examples: `  chancery replay flight-20260301T100000Z-write-loop.jsonl.gz operator.ts
  chancery replay flight.jsonl.gz operator.ts --key demo/web --until 95s --inspect
  chancery replay flight.jsonl.gz operator.ts --key demo/web --to-test web.test.ts
  chancery replay flight.jsonl.gz --html flight.html`,
};
