import { proxyFilter } from '../filter/proxy-filter.ts';
import { proxyPatch } from '../filter/proxy-patch.ts';
import { POD_NAMESPACE } from '../placement.ts';
import {
  documents,
  fromTemplate,
  header,
  listLines,
  type ManifestFile,
  scalar,
  type TemplateValues,
  templateText,
} from './manifest-file.ts';
import { electionOf, leaseName, type ManifestsOptions } from './manifests-options.ts';
import { roles } from './roles.ts';

/** Seconds between the end of the operator's stop budget and the end of the Pod. */
const GRACE_SECONDS = 15;

/**
 * What every operator has, whatever it does: enough to start, to ask for its rights and to stand for
 * election, and to do nothing.
 */
export function base(options: ManifestsOptions): readonly ManifestFile[] {
  const election = electionOf(options);
  const rights = roles([], { namespaces: [POD_NAMESPACE], ...election }, options, '-election');
  const values = { name: scalar(options.name), namespace: scalar(options.namespace) };
  const rbac = rights.length > 0 ? '- rbac.yaml\n' : '';
  const file = (name: string, more: TemplateValues = {}): ManifestFile =>
    fromTemplate(`base/${name}.yaml`, header(options.command), { ...values, ...more });
  return [
    file('kustomization', { rbac }),
    file('namespace'),
    file('service-account'),
    ...(rights.length > 0 ? [{ path: 'base/rbac.yaml', text: rbacFile(options, rights) }] : []),
    file('deployment', deploymentValues(options)),
    { path: 'base/proxy-filter.yaml', text: filterFile(options) },
  ];
}

function deploymentValues(options: ManifestsOptions): TemplateValues {
  const { images, modules, stopSeconds, leaderElection, installCrds } = options;
  const part = (name: string, values: TemplateValues = {}): string =>
    templateText(`base/parts/${name}.yaml`, values);
  return {
    strategy: part(leaderElection ? 'strategy-with-election' : 'strategy-without-election'),
    graceSeconds: stopSeconds + GRACE_SECONDS,
    stopSeconds,
    proxyImage: scalar(images.proxy),
    operatorImage: scalar(images.operator),
    modules: listLines(modules.map(scalar)),
    leaderElection: leaderElection
      ? part('env-with-election', { leaseName: scalar(leaseName(options.name)) })
      : '',
    installCrds: installCrds ? part('env-install-crds') : '',
  };
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
