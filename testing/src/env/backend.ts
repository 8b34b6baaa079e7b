import type { KubectlProxyOptions } from '../ambassador/kubectl-proxy.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { EventLog } from './event-log.ts';
import type { RequestLog } from './request-log.ts';

/** What an environment needs of the API server that it runs on. */
export interface Backend {
  /** Plain HTTP on loopback. */
  readonly url: string;
  /** Something makes Pods of Deployments, runs them, and collects garbage. */
  readonly runsWorkloads: boolean;
  /** It outlives the environment: what was made in it is to be taken away. */
  readonly isShared: boolean;
  /** How another `kubectl proxy` reaches it; undefined where it asks for no credentials. */
  readonly proxyOptions: KubectlProxyOptions | undefined;
  /** In this process, with its logs; undefined for any other. */
  readonly embedded:
    | { readonly server: ApiServer; readonly events: EventLog; readonly requests: RequestLog }
    | undefined;
  close(): Promise<void>;
}
