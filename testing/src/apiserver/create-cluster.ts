import type { Cancel } from 'chancery/internal';
import { objectKey, systemClock } from 'chancery/internal-objects';
import type { ApiServerOptions } from './api-server-options.ts';
import { Authentication, type AuthenticationOptions } from './auth/authentication.ts';
import { allowsEverything, authorizationOf } from './auth/authorization.ts';
import { ServiceAccountTokens } from './auth/service-account-tokens.ts';
import { ANONYMOUS } from './auth/user.ts';
import { behaviourOf } from './behaviour/behaviour.ts';
import { builtInResources } from './built-in-kinds/built-in.ts';
import type { Cluster } from './cluster/cluster.ts';
import { Registry } from './registry/registry.ts';
import { Storage } from './storage/storage.ts';
import { WatchCache } from './watch/watch-cache.ts';
import { WebhookClient } from './webhooks/webhook-client.ts';

/**
 * Creates an empty cluster.
 * @param alarms - receives every timer that is set; a timer is removed from it when it fires.
 */
export function createCluster(options: ApiServerOptions, alarms: Set<Cancel>): Cluster {
  const clock = options.clock ?? systemClock;
  const storage = new Storage({ ...options, clock });
  const behaviour = behaviourOf(options);
  const tokens = new ServiceAccountTokens(storage, clock);
  return {
    storage,
    watchCache: new WatchCache(storage, clock, behaviour),
    behaviour,
    registry: new Registry(builtInResources(behaviour)),
    clock,
    authentication: new Authentication(authenticationOptions(options), tokens),
    authorization: authorizationOf(options.authorization, storage),
    webhooks: new WebhookClient(
      options.webhookServices ?? {},
      clock,
      (namespace, name) => storage.get('services', objectKey(namespace, name)) !== undefined,
    ),
    later(delayMs, act) {
      const cancel = clock.schedule(delayMs, () => {
        alarms.delete(cancel);
        act();
      });
      alarms.add(cancel);
      return cancel;
    },
  };
}

/**
 * The authentication options with their defaults. With TLS, a request without credentials does not come from
 * the administrator.
 */
function authenticationOptions({
  tls,
  authorization,
  authentication = {},
}: ApiServerOptions): AuthenticationOptions {
  if (tls === undefined) return authentication;
  // kube-apiserver turns --anonymous-auth off if everything is allowed.
  return { anonymous: allowsEverything(authorization) ? false : ANONYMOUS, ...authentication };
}
