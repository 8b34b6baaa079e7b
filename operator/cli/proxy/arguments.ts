import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import { electionOf, watchedNamespaces } from '../generate/arguments.ts';
import type { PROXY } from './table.ts';

/** The parsed command line of `chancery proxy`. */
export interface ProxyArguments {
  /** Paths of modules on the command line, at least one. */
  readonly modules: readonly string[];
  /** The port on which the proxy listens. 0 selects any free port. */
  readonly port: number;
  /** The watched namespaces, as in `Placement`. */
  readonly namespaces: readonly string[] | undefined;
  /** The namespace of the operator. Its Lease is in the same namespace. */
  readonly namespace: string;
  /**
   * True if there is a leader election. If undefined, there is one only when a controller needs a
   * leader.
   */
  readonly leaderElection: boolean | undefined;
  readonly installCrds: boolean;
  /** Arguments of kubectl that choose the API server. */
  readonly upstream: readonly string[];
  /** True when `namespaces` come from the command line. */
  readonly isWatchGiven: boolean;
  /** The name of the Lease. If undefined, the Lease has its default name. */
  readonly leaseName?: string;
  /** The arguments after `--`: for the modules, if they declare arguments, and for kubectl. */
  readonly more: readonly string[];
}

/**
 * Parses the command line of `chancery proxy`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function proxyArguments({
  values,
  words: modules,
  rest: more,
}: GivenTo<typeof PROXY>): ProxyArguments {
  if (modules.length === 0) {
    throw new ConfigurationError('expected at least one MODULE, such as operator.ts; got none');
  }
  const { port, namespace, installCrds } = values;
  return {
    ...{ modules, port, namespace, installCrds, more },
    namespaces: watchedNamespaces(values.watch, namespace),
    leaderElection: electionOf(values),
    upstream: upstreamFlags(values),
    isWatchGiven: values.watch !== undefined,
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
