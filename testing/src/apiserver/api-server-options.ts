import type { Clock } from 'chancery';
import type { AuthenticationOptions } from './auth/authentication.ts';
import type { AuthorizationMode } from './auth/authorization.ts';
import type { BehaviourOptions } from './behaviour/behaviour.ts';
import type { WorkloadOptions } from './controllers/workloads.ts';
import type { FaultRule } from './fault-rules/fault-rule.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import type { TlsOptions } from './tls/secure-port.ts';

export interface ApiServerOptions extends BehaviourOptions {
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1; on any other, every client that reaches the port may do everything. */
  readonly address?: string;
  /**
   * TLS instead of plain HTTP, as `secure` shows it. A request without credentials then comes from
   * `system:anonymous`, or with `AlwaysAllow` from nobody (401), as in kube-apiserver, unless
   * `authentication.anonymous` says who it is. Default: plain HTTP.
   */
  readonly tls?: TlsOptions;
  /**
   * Where the services of webhooks are: a URL or `HOST:PORT` by `NAMESPACE/NAME`, or `NAMESPACE/NAME:PORT`
   * for one of several ports, such as `{ 'shop/webhooks': 'http://127.0.0.1:9440' }`. With `http://` no
   * certificate is needed; `HOST:PORT` is `https`. Default: no service has an endpoint.
   */
  readonly webhookServices?: Readonly<Record<string, string>>;
  /** How long a client may take to send a body. Default 60 000, as in kube-apiserver. */
  readonly bodyTimeoutMs?: number;
  /** Requests that `requests` remembers. Default 10 000: far more than one test makes. */
  readonly requestLimit?: number;
  /** Controllers that bring workloads to life. Default false: nothing but the API. */
  readonly workloads?: WorkloadOptions | false;
  /**
   * Whether a CustomResourceDefinition takes the time that it takes a real server: names accepted
   * after 20 ms, established after 15 ms more, the first watches and lists refused with 429 for 50 ms, creates
   * in the first two seconds held for two, objects with finalizers waited for in steps of 5 s.
   * Default false: all that happens at once, so that a test need not wait.
   */
  readonly definitionDelays?: boolean;
  /** Who sends a request. Default: an administrator, unless it has a token or comes in by `urlFor`. */
  readonly authentication?: AuthenticationOptions;
  /**
   * Default `AlwaysAllow`. With `RBAC` the Roles and bindings of the server count, each change of
   * them at once, and the ClusterRoles are there that every cluster has (`cluster-admin`, `admin`,
   * `edit`, `view`, `system:discovery` and others, with their bindings). With `RBAC,AlwaysAllow` they
   * are there, too, and everybody may do everything.
   */
  readonly authorization?: AuthorizationMode;
  /**
   * What the server begins with, of another server or of `readSnapshot`: objects, uids and the revision are what they
   * were. Only what every cluster has and the snapshot has not is added. Default: an empty cluster.
   */
  readonly snapshot?: StorageSnapshot;
  /** Faults from the beginning, which `faults` of the server replaces. Default: none. */
  readonly faults?: readonly FaultRule[];
}
