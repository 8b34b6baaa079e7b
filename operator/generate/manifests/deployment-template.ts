import { AMBASSADOR_FLAGS, isOwnAmbassador } from '../../access/filter/ambassador-image.ts';
import { type ProxyFilter, proxyArguments } from '../../access/filter/proxy-filter.ts';
import { formatYaml } from '../../core/yaml.ts';
import { GATE_PORT } from '../gate/gate-config.ts';
import { gateNames } from '../webhook/gate-names.ts';
import type { WebhookModel } from '../webhook/webhook-model.ts';
import { isServing } from '../webhook/webhooks-options.ts';
import { gateLines, gateVolumes, metricsClientsVolume } from './gate-sidecar.ts';
import { listLines, scalar, type TemplateValues, templateText } from './manifest-file.ts';
import { leaseNameOf, type ManifestsOptions } from './manifests-options.ts';
import { configMapOf, folderItems } from './mounted-folder.ts';

/**
 * The path of kubectl in an image. Images other than our own have it in different folders of their
 * PATH.
 */
export function kubectlOf(image: string): string {
  return isOwnAmbassador(image) ? '/kubectl' : 'kubectl';
}

/** The default port of the ambassador. */
export const DEFAULT_PORT = 8_001;

/** The command of the ambassador's probes. kubectl requests a path that every filter allows. */
export function probeCommand(image: string, port: number): readonly string[] {
  const server = `--server=http://127.0.0.1:${port}`;
  return [kubectlOf(image), server, 'get', '--raw=/version', '--request-timeout=3s'];
}

/** Seconds between the operator's time limit for stopping and the end of the Pod. */
const GRACE_SECONDS = 15;

/**
 * The values of the placeholders in `base/deployment.yaml`.
 *
 * @param webhooks - the webhooks of the operator. If undefined, the Pod has no gate.
 */
export function deploymentValues(
  options: ManifestsOptions,
  webhooks?: WebhookModel,
): TemplateValues {
  const { images, modules, stopSeconds, leaderElection, installCrds, shards, metricsPrefix } =
    options;
  const part = (name: string, values: TemplateValues = {}): string =>
    templateText(`base/parts/${name}.yaml`, values);
  const isOwn = isOwnAmbassador(images.ambassador);
  return {
    strategy: part(strategyOf(options)),
    graceSeconds: stopSeconds + GRACE_SECONDS,
    stopSeconds,
    proxyImage: scalar(images.ambassador),
    proxyImageNote: isOwn
      ? ' # its entry point refuses every path until proxy-filter.yaml opens some'
      : '',
    stockCommand: isOwn ? '' : part('stock-command'),
    stockEnvironment: isOwn ? '' : part('stock-environment'),
    probeCommand: `command: [${probeCommand(images.ambassador, DEFAULT_PORT).join(', ')}]\n`,
    operatorImage: scalar(images.operator),
    modules: listLines(
      options.program?.words.map(programWord) ?? [...modules.map(scalar), ...moduleWords(options)],
    ),
    ...folderValues(options),
    leaderElection: leaderElection
      ? part('env-with-election', {
          leaseName: scalar(leaseNameOf(options)),
          leaseUse: leaseUseOf(options),
        }) + (shards === undefined ? '' : part('env-with-shards', { shards }))
      : '',
    installCrds: installCrds ? part('env-install-crds') : '',
    metricsPrefix:
      metricsPrefix === undefined
        ? ''
        : part('env-metrics-prefix', { metricsPrefix: scalar(metricsPrefix) }),
    ...gateValues(options, webhooks),
  };
}

function leaseUseOf({ shards }: ManifestsOptions): string {
  return shards === undefined
    ? 'the only one that the Role and the filter open'
    : 'with which the names of all Leases of the replicas begin';
}

function strategyOf({ leaderElection, shards }: ManifestsOptions): string {
  if (!leaderElection) return 'strategy-without-election';
  return shards === undefined ? 'strategy-with-election' : 'strategy-with-shards';
}

function gateValues(options: ManifestsOptions, webhooks: WebhookModel | undefined): TemplateValues {
  if (webhooks === undefined)
    return { gate: '', gateAnnotation: '', gateVolumes: '', testedGate: '', metricsHost: '' };
  const { certificates, configHash, options: served } = webhooks;
  const { metricsClientCa: clients } = served;
  const volumes = [
    certificates.volume,
    ...gateVolumes(gateNames(options).gate),
    ...(clients === undefined ? [] : [metricsClientsVolume(clients)]),
  ];
  return {
    gate: gateLines(served.image, clients !== undefined),
    gateAnnotation: `chancery.dev/gate-config: ${JSON.stringify(configHash)} # another configuration needs new Pods\n`,
    gateVolumes: formatYaml(volumes),
    // The self-test only tests webhooks, not metrics.
    testedGate: isServing(served)
      ? templateText('base/parts/env-webhook-gate.yaml', {
          service: gateNames(options).gate,
          port: GATE_PORT,
        })
      : '',
    metricsHost: clients === undefined ? '' : templateText('base/parts/env-metrics-host.yaml', {}),
  };
}

/**
 * The values for a mounted folder. Several programs of the folder may run in the operator's
 * container at the same time, so the container gets another memory limit.
 */
function folderValues({ name, program }: ManifestsOptions): TemplateValues {
  const folder = program?.folder;
  const limits = (memory: string): string =>
    `limits: { memory: ${memory} } # no CPU limit: it would delay the renewal of a Lease\n`;
  if (folder === undefined) return { mounts: '', volumes: '', limits: limits('256Mi') };
  const configMap = scalar(configMapOf(folder, name));
  const { mount } = folder;
  return {
    mounts: templateText('base/parts/folder-mounts.yaml', { folder: mount }),
    volumes: templateText('base/parts/folder-volumes.yaml', {
      ...{ folder: mount, configMap, items: folderItems(folder) },
    }),
    limits: limits('512Mi'),
  };
}

/** The arguments that follow the modules on the command line. */
function moduleWords({ moduleArgs = [] }: ManifestsOptions): readonly string[] {
  const words = moduleArgs.length === 0 ? [] : ['--', ...moduleArgs];
  return words.map(argumentText);
}

/** A quoted argument. The kubelet would replace `$(NAME)` in it, so each `$` is doubled. */
function argumentText(word: string): string {
  return JSON.stringify(word.replaceAll('$', '$$$$'));
}

/** An argument of `chancery`. Simple words stay unquoted. */
function programWord(word: string): string {
  return /^[a-z/][a-z0-9/-]*$/.test(word) ? scalar(word) : argumentText(word);
}

/**
 * All arguments of the ambassador. Our own image already contains the flags that do not belong to
 * the filter.
 */
export function ambassadorArguments(
  filter: ProxyFilter,
  { images }: Pick<ManifestsOptions, 'images'>,
): readonly string[] {
  const before = isOwnAmbassador(images.ambassador) ? [] : ['proxy', ...AMBASSADOR_FLAGS];
  return [...before, ...proxyArguments(filter)];
}
