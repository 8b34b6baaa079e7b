import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';
import type { Authentication } from '../auth/authentication.ts';
import type { Authorization } from '../auth/authorization.ts';
import type { Behaviour } from '../behaviour/behaviour.ts';
import type { Registry } from '../registry/registry.ts';
import type { Storage } from '../storage/storage.ts';
import type { WatchCache } from '../watch/watch-cache.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';

/**
 * The state and the services that the implementations of the verbs (create, list, watch and so on) share.
 */
export interface Cluster {
  readonly storage: Storage;
  /** Serves watches. It also serves read requests that do not need the latest state. */
  readonly watchCache: WatchCache;
  readonly behaviour: Behaviour;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  readonly webhooks: WebhookClient;
  /** Calls `act` after a delay, unless the server is closed before the delay is over. */
  later(delayMs: number, act: () => void): Cancel;
}
