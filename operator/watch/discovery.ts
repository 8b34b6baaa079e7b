/**
 * What a client can learn about a resource that a list or a watch did not find: what a reflector
 * needs to wait for it.
 */
export interface Discovery {
  /** Sources of the same client, group and version share their requests; compared by identity. */
  readonly client: object;
  /** `v1`, `example.com/v1`. */
  readonly groupVersion: string;
  readonly plural: string;
  /**
   * The plural names that the server lists under the group and version; none where it does not know
   * them.
   *
   * @throws ApiError, AmbassadorError or ProtocolError; `signal.reason` when aborted.
   */
  served(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * True when the API server itself has said that there is no CustomResourceDefinition of this
   * resource. False for a resource of Kubernetes itself, and whenever that is not certain.
   *
   * @throws `signal.reason` when aborted, and nothing else.
   */
  isDefinitionGone(signal: AbortSignal): Promise<boolean>;
  /** Called when the server has answered a request that this source may not have sent itself. */
  readonly onAnswer?: () => void;
}
