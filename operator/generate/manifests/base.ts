import { proxyFilter } from '../filter/proxy-filter.ts';
import { proxyPatch } from '../filter/proxy-patch.ts';
import { POD_NAMESPACE } from '../placement.ts';
import { deployment } from './deployment.ts';
import { electionOf } from './lease.ts';
import type { ManifestFile } from './manifest-file.ts';
import type { ManifestsOptions } from './manifests-options.ts';
import { roles } from './roles.ts';
import { documents, header, scalar } from './yaml-text.ts';

/**
 * What every operator has, whatever it does: enough to start, to ask for its rights and to stand for
 * election, and to do nothing.
 */
export function base(options: ManifestsOptions): readonly ManifestFile[] {
  const election = electionOf(options);
  const rights = roles([], { namespaces: [POD_NAMESPACE], ...election }, options, '-election');
  return [
    { path: 'base/kustomization.yaml', text: kustomization(options, rights.length > 0) },
    { path: 'base/namespace.yaml', text: namespace(options) },
    { path: 'base/service-account.yaml', text: serviceAccount(options) },
    ...(rights.length > 0 ? [{ path: 'base/rbac.yaml', text: rbacFile(options, rights) }] : []),
    { path: 'base/deployment.yaml', text: deployment(options) },
    { path: 'base/proxy-filter.yaml', text: filterFile(options) },
  ];
}

function kustomization({ command, namespace }: ManifestsOptions, hasRights: boolean): string {
  return `${header(command)}#
# Alone this starts and may do nothing: one of the components \`namespaced\` and \`cluster-scoped\` gives it
# its rights, opens its filter and says what it watches. The overlays do.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: ${scalar(namespace)}
resources:
  - namespace.yaml
  - service-account.yaml
${hasRights ? '  - rbac.yaml\n' : ''}  - deployment.yaml
patches:
  - path: proxy-filter.yaml
`;
}

function namespace({ command, namespace }: ManifestsOptions): string {
  return `${header(command)}#
# Warns and does not enforce: what else lives here may need what the operator does not.
apiVersion: v1
kind: Namespace
metadata:
  name: ${scalar(namespace)}
  labels:
    pod-security.kubernetes.io/audit: restricted
    pod-security.kubernetes.io/warn: restricted
`;
}

function serviceAccount({ command, name, namespace }: ManifestsOptions): string {
  return `${header(command)}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${scalar(name)}
  # Written out, or kustomize would not know it for the subject of the bindings, and an overlay with
  # another namespace would leave that one behind.
  namespace: ${scalar(namespace)}
automountServiceAccountToken: false # the Pod mounts a token itself, into one container
`;
}

function rbacFile({ command }: ManifestsOptions, rights: readonly object[]): string {
  const why = ['The election: its Lease by name, and the Event that says who leads.'];
  return documents(header(command, ...why), rights);
}

function filterFile(options: ManifestsOptions): string {
  const placement = { namespaces: [POD_NAMESPACE], ...electionOf(options) };
  const patch = proxyPatch(proxyFilter([], placement), {
    deployment: options.name,
    container: 'proxy',
  });
  const why = ['What every operator asks for. A component replaces it by all that this one does.'];
  return documents(header(options.command, ...why), [patch]);
}
