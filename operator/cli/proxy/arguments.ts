import { ConfigurationError } from '../../core/errors.ts';
import type { GivenTo } from '../command-table.ts';
import { electionOf, watchedNamespaces } from '../generate/arguments.ts';
import type { PROXY } from './table.ts';

/** What `chancery proxy` is asked for. */
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

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
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
