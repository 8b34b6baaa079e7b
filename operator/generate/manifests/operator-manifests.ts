import type { Controller } from '../../controller/controller.ts';
import { base } from './base.ts';
import { GENERIC_COMPONENTS } from './components/generic-components.ts';
import { crdFolder } from './crd-files.ts';
import type { ManifestFile } from './manifest-file.ts';
import { type ManifestsOptions, requireUsable } from './manifests-options.ts';
import { overlays } from './overlays.ts';
import { scopeComponent } from './scope-component.ts';

/**
 * A complete kustomize tree for an operator of these controllers: `base`, the components, `crds` when
 * resources bring definitions that the operator does not install itself, and `overlays`. Equal
 * declarations and options give equal files.
 *
 * The base alone may do nothing. A component, of which exactly one is used, gives the rights, opens the
 * filter and says what is watched; the other components fit every operator.
 *
 * @throws ConfigurationError `CONFIG` for an option that cannot stand in a manifest, and for what
 *   `rbac` and `proxyFilter` refuse.
 */
export function operatorManifests(
  controllers: readonly Controller[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  requireUsable(options);
  const crds = options.installCrds ? [] : crdFolder(controllers, options.command);
  return [
    ...base(options),
    ...scopeComponent('namespaced', controllers, options),
    ...scopeComponent('cluster-scoped', controllers, options),
    ...(options.components === undefined ? GENERIC_COMPONENTS : []),
    ...crds,
    ...overlays(options, crds.length > 0),
  ];
}
