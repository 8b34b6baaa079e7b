import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  url: {
    type: 'text',
    value: 'URL',
    help: 'where the operator answers probes; default http://127.0.0.1 with the port of CHANCERY_HEALTH_PORT, or 8081',
  },
  watch: { short: 'w', help: 'print it again every second until asked to stop' },
  json: { help: 'print /status.json as it is, in one line' },
} as const;

/** The command line of `chancery status`. */
export const STATUS: CommandTable<typeof OPTIONS> = {
  name: 'status',
  summary: 'print the status page of a running operator',
  options: OPTIONS,
  isLasting: true,
  description: `Prints what the status page of a running operator shows: whether it is ready and leads, the keys that fail, the
controllers, and the sources. It asks the port of the probes, and changes nothing.

In a cluster, forward the port first (kubectl port-forward deploy/NAME 8081), or run the command in the container of the
operator (kubectl exec). "chancery why KEY" says what one key waits for.`,
  environment: ['CHANCERY_HEALTH_PORT'],
  notes: `The names of objects are shown, and no other part of an object. Messages of errors are in the log of the operator.`,
  exitCodes: {
    0: 'the status was printed',
    1: 'nothing answers there, or the status page is turned off',
    2: 'the command line is wrong',
  },
  examples: `  kubectl -n shop port-forward deploy/shop-operator 8081 &
  chancery status
  chancery status --watch
  chancery status --json | jq '.failing[] | .key'`,
};
