import { ConfigurationError } from '../../core/errors.ts';
import { namespaceFlag, parseFlags, portFlag } from '../flags.ts';
import { electionOf, watchedNamespaces } from '../generate/arguments.ts';

/** The command line of `chancery proxy`. */
export interface ProxyArguments {
  /** Paths of modules as given, at least one. */
  readonly modules: readonly string[];
  /** 0 for any free port. */
  readonly port: number;
  /** As in `Placement`. */
  readonly namespaces: readonly string[] | undefined;
  /** Where the operator would run: the namespace of its Lease. */
  readonly namespace: string;
  /** Undefined: elect a leader when a controller needs one. */
  readonly leaderElection: boolean | undefined;
  readonly installCrds: boolean;
  /** Arguments of kubectl that choose the API server. */
  readonly upstream: readonly string[];
  /** Arguments of kubectl after `--`, as given. */
  readonly more: readonly string[];
}

/** Where an operator looks for its ambassador by default. */
const DEFAULT_PORT = 8_001;

const OPTIONS = {
  context: { type: 'string' },
  'install-crds': { type: 'boolean' },
  kubeconfig: { type: 'string' },
  'leader-election': { type: 'boolean' },
  namespace: { type: 'string', short: 'n' },
  'no-leader-election': { type: 'boolean' },
  port: { type: 'string', short: 'p' },
  watch: { type: 'string' },
} as const;

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseProxyArguments(args: readonly string[]): ProxyArguments {
  const end = args.indexOf('--');
  const { values, positionals } = parseFlags(end < 0 ? args : args.slice(0, end), OPTIONS);
  if (positionals.length === 0) {
    throw new ConfigurationError('expected at least one MODULE, such as operator.ts; got none');
  }
  const namespace = namespaceFlag(values.namespace) ?? 'default';
  return {
    modules: positionals,
    port: portFlag('--port', values.port) ?? DEFAULT_PORT,
    namespace,
    namespaces: watchedNamespaces(values.watch, namespace),
    leaderElection: electionOf(values['leader-election'], values['no-leader-election']),
    installCrds: values['install-crds'] === true,
    upstream: upstreamFlags(values),
    more: end < 0 ? [] : args.slice(end + 1),
  };
}

/** Arguments of kubectl that choose the API server. */
export function upstreamFlags({
  context,
  kubeconfig,
}: {
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
  ];
}
