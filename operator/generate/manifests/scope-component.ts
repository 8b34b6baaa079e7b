import type { Controller } from '../../controller/controller.ts';
import { proxyFilter } from '../filter/proxy-filter.ts';
import { proxyPatch } from '../filter/proxy-patch.ts';
import { type Placement, POD_NAMESPACE } from '../placement.ts';
import { electionOf } from './lease.ts';
import type { ManifestFile } from './manifest-file.ts';
import type { ManifestsOptions } from './manifests-options.ts';
import { roles } from './roles.ts';
import { documents, header, scalar } from './yaml-text.ts';

export type Scope = 'namespaced' | 'cluster-scoped';

/** The component that lets an operator do its work, in its own namespace or in all of them. */
export function scopeComponent(
  scope: Scope,
  controllers: readonly Controller[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  const folder = `components/${scope}`;
  const namespaces = scope === 'namespaced' ? [POD_NAMESPACE] : undefined;
  const rights = roles(controllers, { namespaces, installCrds: options.installCrds }, options);
  return [
    { path: `${folder}/kustomization.yaml`, text: kustomization(scope, options) },
    { path: `${folder}/rbac.yaml`, text: documents(header(options.command, ...WHY), rights) },
    { path: `${folder}/proxy-filter.yaml`, text: filterFile(controllers, namespaces, options) },
    { path: `${folder}/watch-namespace.yaml`, text: watchNamespace(scope, options) },
  ];
}

const WHY = ['What the controllers declare, and no more.'];

const MEANING: Readonly<Record<Scope, string>> = {
  namespaced: 'The operator watches the namespace that it runs in, and may do what it does there.',
  'cluster-scoped': 'The operator watches every namespace, and may do what it does in all of them.',
};

function kustomization(scope: Scope, { command }: ManifestsOptions): string {
  return `${header(command)}#
# ${MEANING[scope]}
# Exactly one of \`namespaced\` and \`cluster-scoped\` is used, before every other component: its filter
# replaces all arguments of the ambassador.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - rbac.yaml
patches:
  - path: watch-namespace.yaml
  - path: proxy-filter.yaml
`;
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

function watchNamespace(scope: Scope, { command, name }: ManifestsOptions): string {
  const value =
    scope === 'namespaced'
      ? `valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace`
      : 'value: "*"';
  return `${header(command)}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${scalar(name)}
spec:
  template:
    spec:
      containers:
        - name: proxy # named, so that it stays the first: what a patch names comes first
        - name: operator
          env:
            - name: WATCH_NAMESPACE
              ${value}
`;
}
