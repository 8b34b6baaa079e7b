import type { Command } from '../command.ts';
import { EXIT_WITH_PARENT, environmentHelp, table } from '../help.ts';

/** What `chancery metacontroller --help` prints. */
const METACONTROLLER_HELP: string = `Usage: chancery metacontroller [--check | --dry-run [--follow]] [OPTION...]

Runs the CompositeControllers and DecoratorControllers of the cluster, by the contract of Metacontroller: a hook
gets an object and its children, and answers which children it shall have. Hooks are webhooks, as the objects
say, or programs and modules that a file names. Controllers are started and stopped as their objects come, change
and go.

It needs the package @chancery/metacontroller beside chancery: npm install @chancery/metacontroller

Options:
${table([
  ['--functions FILE', 'programs and modules that serve hooks, in place of webhooks'],
  ['--workers N', 'objects of a controller that are reconciled at a time; default 5'],
  [
    '--cache-flush-interval DURATION',
    'every object is synced again after it; default 30m, 0 for never',
  ],
  [
    '--discovery-interval DURATION',
    'how often a controller that cannot start tries again; default 30s',
  ],
  ['--apply-strategy NAME', 'dynamic-apply or server-side-apply; default dynamic-apply'],
  ['--apply-strategy-ssa-field-manager NAME', 'for server-side-apply; default metacontroller'],
  ['--target-label-selector SELECTOR', 'run only the controllers with these labels'],
  ['--compat-empty-children', 'an answer without children deletes all of them'],
  ['--extensions', 'answers may have events, which Metacontroller does not know'],
  ['--no-managed-fields', 'webhooks get objects without metadata.managedFields'],
  ['--leader-election', 'on in any case when POD_NAMESPACE is set'],
  ['--no-leader-election', 'every replica runs the controllers'],
  ['--check', 'read the file of functions, print what it names, and do not run'],
  ['--dry-run', 'run everything once, and print what would be written, as diffs'],
  ['--follow', 'with --dry-run: go on until SIGTERM or SIGINT'],
  ['--insecure-allow-token', 'start although a ServiceAccount token is visible to this process'],
  EXIT_WITH_PARENT,
])}

Other flags of Metacontroller are answered with what replaces them. The rights of the process follow from the
controllers: chancery generate manifests --from-metacontroller FILE writes them.

All namespaces are watched unless WATCH_NAMESPACE says otherwise. With POD_NAMESPACE, replicas elect a leader by the
Lease metacontroller-leader; the others list and watch, and take over at once.

${environmentHelp()}

Exit codes:
${table([
  ['0', 'asked to stop, and stopped in order'],
  ['1', 'failed, or asked to stop twice'],
  ['2', 'a function cannot be used, or the command line or the environment is wrong'],
  ['3', 'leadership lost, or refused to start where it is not safe'],
])}
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const METACONTROLLER_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'metacontroller',
  summary: 'run CompositeControllers and DecoratorControllers',
  help: METACONTROLLER_HELP,
  isLasting: true,
};
