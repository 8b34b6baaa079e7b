import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  check: { help: 'print what the controllers declare, one line of JSON each, and do not run' },
  'dry-run': { help: 'reconcile everything once, and print what would be written, as diffs' },
  follow: { help: 'with --dry-run: go on until SIGTERM or SIGINT' },
  record: {
    type: 'path',
    value: 'DIR',
    help: 'flight recorder: keep what the operator does in memory, and write a record of it into DIR when asked, and when something is wrong',
  },
  'insecure-allow-token': {
    help: 'start although a ServiceAccount token is visible to this process',
  },
} as const;

/** The command line of `chancery run`. */
export const RUN: CommandTable<typeof OPTIONS> = {
  name: 'run',
  summary: 'run the controllers that modules export',
  usage: ['MODULE... [--check | --dry-run [--follow]] [OPTION...] [-- ARGUMENT...]'],
  arguments: [{ name: 'MODULE', isPath: true, repeats: true }],
  rest: 'ARGUMENT...',
  options: OPTIONS,
  isLasting: true,
  description: `Loads TypeScript or JavaScript modules and runs the controllers that they export in one manager,
until SIGTERM or SIGINT; a second one ends it at once. A module's default export is what
controller({...}), runnable({...}), validatingWebhook({...}) or mutatingWebhook({...}) returns, or an
array of such. Checks of its own for /healthz and /readyz may be exported as healthChecks: { live: [{ name, ok() }], ready: [...] }. "chancery"
and its entries are this toolkit in every module, wherever it lies, so that a ConfigMap can hold an
operator: TypeScript runs as it is, its types are stripped.

A module that exports what withArguments({...}) returns takes the arguments after "--". Every command that
loads modules passes them on. "chancery run MODULE --help" prints the arguments and variables of a module. An
argument that several modules declare goes to all of them. With some arguments a module may do other work
than run controllers: then run does that once, and ends with its exit code. A registry of prom-client that
is exported as metrics, or returned by withArguments, is shown at /metrics beside our own metrics.`,
  environment: 'all',
  notes: `A dry run reads as always, and sends each write with dryRun=All: the API server fills in defaults, admits
and validates it, and stores nothing. Standard output has the diffs between what is and what would be,
each once, with refusals and Events as lines that begin with "#"; values of Secrets are not shown. It
takes no Lease, opens no port, installs no definitions and starts no runnables, except those that declare
sources. What it has created is not there when a reconciler reads it. Each object is reconciled once, what
asks to be reconciled later is not waited for, and the last line on standard error sums up.

With --record, or CHANCERY_RECORD_DIR, the last 10 minutes of the operator are kept in memory. They are written into DIR on
SIGQUIT, on a loop of writes, when a reconcile takes too long, and when the process fails. Values of Secrets are not written.
"chancery replay" runs such a record again. The command "chancery record" makes none: it records what a cluster answers.

The log goes to standard error, as JSON unless that is a terminal; SIGUSR2 turns its debug lines on and off.`,
  exitCodes: {
    0: 'asked to stop, and stopped in order; of a dry run also: done, whatever was refused',
    1: 'failed, or asked to stop twice; of a dry run: a reconcile failed otherwise than by a refusal',
    2: 'a module does not load or exports no controller, or the environment is wrong',
    3: 'leadership lost: another replica leads; or refused to start: a ServiceAccount token is visible, or the ambassador lets through what it must refuse (CHANCERY_SELF_TEST=require)',
  },
  examples: `  /modules/hello.ts:

  import { controller, source } from 'chancery';
  import { configMaps } from 'chancery/kubernetes';

  export default controller({
    name: 'hello',
    for: source(configMaps),
    async reconcile({ data }, { log }) {
      log.info({ keys: Object.keys(data ?? {}) }, 'reconciled');
    },
  });

  chancery run /modules/hello.ts`,
};
