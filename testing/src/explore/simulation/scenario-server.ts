import type { Clock } from 'chancery';
import { ApiServer } from '../../apiserver/api-server.ts';
import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { LoggedWrite, Scenario, ScenarioCluster } from '../scenario/scenario.ts';

/**
 * This interval is so long that no bookmarks are sent. Otherwise most events would be bookmarks, although
 * they only save lists after a restart of a watch.
 */
const BOOKMARK_INTERVAL_MS = 24 * 3_600_000;

/** The API server of one run, with the objects that exist before the operator starts. */
export function serverOf(
  { workloads = false }: Scenario,
  snapshot: StorageSnapshot,
  clock: Clock,
): Promise<ApiServer> {
  return ApiServer.inMemory({
    clock,
    snapshot,
    bookmarkIntervalMs: BOOKMARK_INTERVAL_MS,
    workloads: workloads === true ? {} : workloads,
  });
}

/** What the changes and the invariants of a scenario can read and write on the server. */
export function clusterOf(server: ApiServer, writes: readonly LoggedWrite[]): ScenarioCluster {
  return {
    get: (...target) => server.get(...target),
    list: (...collection) => server.list(...collection),
    create: (object) => server.create(object),
    patch: (...change) => server.patch(...change),
    delete: (...target) => server.delete(...target),
    writes,
  };
}
