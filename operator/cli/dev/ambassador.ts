import type { ProxyFilter } from '../../access/filter/proxy-filter.ts';
import type { KubernetesObject } from '../../model/object.ts';

/** The proxy between the operator and the API server: `kubectl proxy` or its stand-in. */
export interface Ambassador {
  /** A description for people. */
  readonly description: string;
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Starts it, or starts it again with another filter. Resolves when it listens. */
  start(filter: ProxyFilter): Promise<void>;
  stop(): Promise<void>;
}

/** The API server of `chancery dev`, with the writes that prepare it for the operator. */
export interface DevCluster {
  /** A description for people, with the address. */
  readonly description: string;
  readonly ambassador: Ambassador;
  /** Where objects go that name no namespace, and where the operator would run. */
  readonly namespace: string;
  /**
   * Writes definitions, one YAML document each. Resolves when the API server accepts objects of these kinds.
   *
   * @param conversionUrl - where the operator converts objects, for an API server that calls plain HTTP.
   */
  applyDefinitions(
    definitions: readonly string[],
    conversionUrl: string | undefined,
  ): Promise<void>;
  /** Grants these rights to the operator, and takes those away that an earlier call granted. */
  applyRoles(roles: readonly object[]): Promise<void>;
  /** Lets the API server call the webhooks of the operator, and takes away those of an earlier call. */
  applyWebhooks(configurations: readonly KubernetesObject[]): Promise<void>;
  /** Creates or replaces an object. */
  applySample(sample: unknown): Promise<void>;
  /** Ends what this process has started. Objects in a real cluster stay. */
  close(): Promise<void>;
}
