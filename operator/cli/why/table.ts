import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  controller: {
    short: 'c',
    type: 'text',
    value: 'NAME',
    help: 'ask this controller only; default all',
  },
  url: {
    type: 'text',
    value: 'URL',
    help: 'where the operator answers probes; default http://127.0.0.1 with the port of CHANCERY_HEALTH_PORT, or 8081',
  },
  json: { help: 'print the answer as JSON, in one line' },
} as const;

/** The command line of `chancery why`. */
export const WHY: CommandTable<typeof OPTIONS> = {
  name: 'why',
  summary:
    'say why a key is not done: what woke it, what it waits for, its last error, its next attempt',
  usage: ['KEY [OPTION...]'],
  arguments: [{ name: 'KEY' }],
  options: OPTIONS,
  needsWords: true,
  description: `Asks the controllers of a running operator about one key, NAMESPACE/NAME, or NAME for an object without a namespace.
Prints for each controller that knows it: what it does now, what keeps it from its next attempt and until when, what woke
it, and how its last attempt ended. It asks the port of the probes, and changes nothing.

In a cluster, forward the port first (kubectl port-forward deploy/NAME 8081), or run the command in the container of the
operator (kubectl exec). Replicas that share the work know different keys: ask each.`,
  environment: ['CHANCERY_HEALTH_PORT'],
  notes: `An operator remembers the last attempt of 1,000 keys whose attempt failed and of 1,000 others, for each controller. Messages
of errors are in its log: the lines of an attempt have its reconcileId.`,
  exitCodes: {
    0: 'a controller knows the key',
    1: 'nothing answers there, the status page is turned off, or there is no such controller',
    2: 'the command line is wrong',
    4: 'no controller that was asked knows the key',
  },
  examples: `  kubectl -n shop port-forward deploy/shop-operator 8081 &
  chancery why demo/web
  chancery why demo/web --controller shop
  chancery why demo/web --json | jq '.known[].next.at'`,
};
