import { ConfigurationError } from 'chancery';
import { chosenAmbassador } from './ambassador.ts';
import type { RecordedChange } from './change.ts';
import type { FlagValues } from './flags.ts';
import { MANAGER_FILE } from './go-project/manager-file.ts';
import { isGoPlugin } from './project.ts';
import { PLUGIN_KEY, type PluginRequest } from './protocol.ts';
import { ROLE_FILE, roleState } from './rbac-markers.ts';
import type { ProjectRecord } from './record.ts';

/** True when the project has a manager in Go, or when the request creates one. */
export function hasGoManager({ pluginChain, universe }: PluginRequest): boolean {
  return universe.has(MANAGER_FILE) || pluginChain.some(isGoPlugin);
}

/**
 * Adds the ambassador beside the manager, or updates it.
 *
 * @param isNewApi - if true, the rules of new markers are first added to the role, like `make
 * manifests` does. Without these rules, the filter would refuse the requests of a new controller.
 * @throws ConfigurationError `CONFIG` when the project does not have the layout of kubebuilder, or
 * when its roles cannot become a filter.
 */
export async function withAmbassador(
  { universe }: PluginRequest,
  record: ProjectRecord,
  flags: FlagValues,
  isNewApi: boolean,
): Promise<RecordedChange> {
  if (!universe.has(MANAGER_FILE)) {
    throw new ConfigurationError(
      `there is no ${MANAGER_FILE}: name a plugin for Go before this one, such as --plugins go.kubebuilder.io/v4,${PLUGIN_KEY}`,
    );
  }
  const ambassador = chosenAmbassador(flags, record.ambassador);
  const { text: role, missing } = roleState(universe);
  const isRoleNew = isNewApi && role !== undefined;
  const before = isRoleNew ? new Map([...universe, [ROLE_FILE, role]]) : universe;
  const { hardened } = await import('./go-project/hardened.ts');
  const { proxyPort, image } = ambassador;
  const changed = hardened(before, {
    proxyPort,
    ...(image !== '' && { ambassadorImage: image }),
  });
  return {
    files: new Map([...(isRoleNew ? [[ROLE_FILE, role] as const] : []), ...changed.files]),
    messages: [
      ...changed.messages,
      ...(missing.length > 0 && !isRoleNew ? [staleRole(missing.length)] : []),
    ],
    record: { ...record, ambassador },
  };
}

function staleRole(count: number): string {
  return (
    `markers in the sources ask for ${count} ${count === 1 ? 'rule' : 'rules'} that ${ROLE_FILE} does not have: run ` +
    `make manifests, and then kubebuilder edit --plugins ${PLUGIN_KEY}`
  );
}
