import type { KubectlProxyOptions } from '../ambassador/kubectl-proxy.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { EventLog } from './event-log.ts';
import type { RequestLog } from './request-log.ts';

/** The API server of an environment, and its properties. */
export interface Backend {
  /** The URL, plain HTTP on the loopback. */
  readonly url: string;
  /** Whether controllers create and run the Pods of Deployments, and collect garbage. */
  readonly runsWorkloads: boolean;
  /** Whether the cluster outlives the environment. Objects created in it must then be removed. */
  readonly isShared: boolean;
  /** How another `kubectl proxy` reaches the cluster; undefined if it needs no credentials. */
  readonly proxyOptions: KubectlProxyOptions | undefined;
  /** The server in this process with its logs; undefined for any other backend. */
  readonly embedded:
    | { readonly server: ApiServer; readonly events: EventLog; readonly requests: RequestLog }
    | undefined;
  close(): Promise<void>;
}
