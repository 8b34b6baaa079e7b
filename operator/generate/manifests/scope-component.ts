import type { Controller } from '../../controller/controller.ts';
import { proxyFilter } from '../filter/proxy-filter.ts';
import { proxyPatch } from '../filter/proxy-patch.ts';
import { type Placement, POD_NAMESPACE } from '../placement.ts';
import { documents, fromTemplate, header, type ManifestFile, scalar } from './manifest-file.ts';
import { electionOf, type ManifestsOptions } from './manifests-options.ts';
import { roles } from './roles.ts';

export type Scope = 'namespaced' | 'cluster-scoped';

const WHY = ['What the controllers declare, and no more.'];

/** The component that lets an operator do its work, in its own namespace or in all of them. */
export function scopeComponent(
  scope: Scope,
  controllers: readonly Controller[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  const folder = `components/${scope}`;
  const comment = header(options.command);
  const name = scalar(options.name);
  const namespaces = scope === 'namespaced' ? [POD_NAMESPACE] : undefined;
  const rights = roles(controllers, { namespaces, installCrds: options.installCrds }, options);
  return [
    fromTemplate(`${folder}/kustomization.yaml`, comment, {}),
    { path: `${folder}/rbac.yaml`, text: documents(header(options.command, ...WHY), rights) },
    { path: `${folder}/proxy-filter.yaml`, text: filterFile(controllers, namespaces, options) },
    fromTemplate(`${folder}/watch-namespace.yaml`, comment, { name }),
  ];
}

function filterFile(
  controllers: readonly Controller[],
  namespaces: Placement['namespaces'],
  options: ManifestsOptions,
): string {
  const { installCrds, name, command } = options;
  const filter = proxyFilter(controllers, { namespaces, installCrds, ...electionOf(options) });
  const patch = proxyPatch(filter, { deployment: name, container: 'proxy' });
  return documents(header(command, ...WHY), [patch]);
}
