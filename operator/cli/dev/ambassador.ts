import type { ProxyFilter } from '../../access/filter/proxy-filter.ts';
import type { KubernetesObject } from '../../model/object.ts';

/**
 * The proxy between the operator and the API server: `kubectl proxy`, or a server in this process
 * that replaces it.
 */
export interface Ambassador {
  /** A description for messages. */
  readonly description: string;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Starts the proxy, or restarts it with another filter. Resolves when it listens. */
  start(filter: ProxyFilter): Promise<void>;
  stop(): Promise<void>;
}

/** The API server that `chancery dev` uses. The methods prepare it for the operator. */
export interface DevCluster {
  /** A description with the address, for messages. */
  readonly description: string;
  readonly ambassador: Ambassador;
  /** The namespace of the operator, and of objects that do not set a namespace. */
  readonly namespace: string;
  /**
   * Writes definitions, one YAML document each. Resolves when the API server accepts objects of the
   * defined kinds.
   *
   * @param conversionUrl - the URL at which the operator converts objects, for an API server that
   * calls plain HTTP.
   */
  applyDefinitions(
    definitions: readonly string[],
    conversionUrl: string | undefined,
  ): Promise<void>;
  /** Grants these rights to the operator, and revokes rights that earlier calls have granted. */
  applyRoles(roles: readonly object[]): Promise<void>;
  /**
   * Makes the API server call these webhooks of the operator. Webhooks of earlier calls of this
   * method are no longer called.
   */
  applyWebhooks(configurations: readonly KubernetesObject[]): Promise<void>;
  /**
   * True when the operator would now answer a review for every webhook that was passed to
   * `applyWebhooks`. An API server skips a webhook with the failure policy `Ignore` while that
   * webhook does not answer.
   */
  asksWebhooks(): Promise<boolean>;
  /** Applies an object, or the items of a List. As with `kubectl apply`, webhooks are called. */
  applySample(sample: unknown): Promise<void>;
  /**
   * Ends the processes and servers that this process has started. Objects in a real cluster stay.
   */
  close(): Promise<void>;
}
