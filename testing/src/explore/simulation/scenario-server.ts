import type { Clock } from 'chancery';
import { ApiServer } from '../../apiserver/api-server.ts';
import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { LoggedWrite, Scenario, ScenarioCluster } from '../scenario/scenario.ts';

/** Bookmarks only save lists after a restart of a watch, and would be most of the events. */
const BOOKMARK_INTERVAL_MS = 24 * 3_600_000;

/** The API server of one run, with what is there before the operator starts. */
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

/** What changes and invariants of a scenario get of it. */
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
