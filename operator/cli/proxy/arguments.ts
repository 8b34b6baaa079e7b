import { ConfigurationError } from '../../core/errors.ts';
import { namespaceFlag, parseFlags, portFlag } from '../flags.ts';
import { electionOf, watchedNamespaces } from '../generate/arguments.ts';
import { splitAtDashes } from '../load-modules.ts';

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
  /** `namespaces` come from the command line. */
  readonly isWatchGiven: boolean;
  /** Undefined: the default name. */
  readonly leaseName?: string;
  /** The words after `--`, as given: for the modules, if they declare arguments, and for kubectl. */
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
  const { own, rest } = splitAtDashes(args);
  const { values, positionals } = parseFlags(own, OPTIONS);
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
    isWatchGiven: values.watch !== undefined,
    more: rest,
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
