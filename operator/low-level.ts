/**
 * The building blocks of `chancery`, for your own programs: a cache without a controller, calls without a
 * manager, streams, processes and YAML. Semantic versioning covers them, like `chancery` itself.
 *
 * @module
 */

import './core/one-copy.ts';

// Time, YAML and metadata

export { systemClock } from './core/clock.ts';
export { formatYaml, parseYaml, parseYamlDocuments } from './core/yaml.ts';
export { rfc3339Micro } from './model/condition.ts';
export { setControllerReference, setOwnerReference } from './model/owner-reference.ts';
export { isGone } from './model/status.ts';

// Bytes → lines → events

export { readLines } from './stream/lines.ts';
export type { Transport } from './transport/transport.ts';
export { undiciTransport } from './transport/undici-transport.ts';

// Programs

export { runProgram } from './process/run-program.ts';

// Events → store → queue

export { listWatch } from './client/source.ts';
export { Debounce } from './queue/debounce.ts';
export type { Change } from './store/change.ts';
export { Informer } from './store/informer.ts';
export type { Store } from './store/store.ts';
export type { ListWatch } from './watch/list-watch.ts';

// Calls

export type { Call, Interceptor } from './client/call.ts';
export type {
  DeleteOptions,
  ListOptions,
  Patch,
  Reader,
  Stored,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { clientOf, intercept } from './client/client-of.ts';
export { type ServerVersion, serverVersion } from './client/discovery.ts';
export { restClient } from './client/rest-client.ts';
export { addFinalizer, removeFinalizer } from './controller/finalizers/finalizer.ts';

// One process

export { isController } from './controller/controller.ts';
export { createManager } from './manager/create-manager.ts';
export type { Manager } from './manager/manager.ts';
export type { CreateManagerOptions } from './manager/options.ts';
export { isRunnable } from './manager/runnable.ts';
export type { Settings } from './manager/settings/settings.ts';

// One declaration, many outputs

export { type OpenedRequests, openedBeyondRights } from './access/filter/opened-beyond-rights.ts';
export { type ProxyFilter, proxyArguments, proxyFilter } from './access/filter/proxy-filter.ts';
export { type RbacRole, type RbacRoleBinding, rbac } from './access/rbac.ts';

// Reviews of the API server
