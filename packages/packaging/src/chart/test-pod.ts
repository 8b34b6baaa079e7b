import { kubectlOf, type ModelContainer, type OperatorModel } from 'chancery/internal';
import { given } from './deployment-values.ts';
import { include, literal } from './expressions.ts';
import { NAME, NAMESPACE } from './placeholders.ts';
import { printTree } from './print.ts';
import { changeAt, field, inline, lines, type Tree, treeOf, withFields } from './tree.ts';

/** Seconds that `helm test` waits for an operator that is not ready. */
const TEST_SECONDS = 120;

/**
 * The objects that `helm test` creates: a Service that selects the operator's Pods, and a Pod that
 * sends requests to the Service to find out whether they are ready. The Pod uses kubectl as its
 * client and has no token. Neither object is part of the release.
 */
export function testText(chart: string, { deployment }: OperatorModel): string {
  const { containers, securityContext } = deployment.spec.template.spec;
  const proxy = containerOf(containers, 'proxy');
  const operator = containerOf(containers, 'operator');
  const port = healthPort(operator);
  const selector = deployment.spec.selector.matchLabels;
  const service = { clusterIP: 'None', selector, ports: [{ name: 'health', port }] };
  const pod = {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    restartPolicy: 'OnFailure',
    activeDeadlineSeconds: TEST_SECONDS,
    securityContext,
    containers: [
      {
        name: 'test',
        image: proxy.image,
        command: [
          kubectlOf(proxy.image),
          `--server=http://test-${NAME}.${NAMESPACE}.svc:${port}`,
          'get',
          `--raw=${readyPath(operator)}`,
          '--request-timeout=5s',
        ],
        env: [
          { name: 'HOME', value: '/nonexistent' },
          { name: 'KUBERC', value: 'off' },
          { name: 'NO_PROXY', value: '*' },
        ],
        resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
        securityContext: proxy.securityContext,
      },
    ],
  };
  const filled = changeAt(hook(chart, 'Pod', 0, pod), ['spec'], (spec) => withImage(chart, spec));
  return `${printTree(hook(chart, 'Service', -1, service), { chart })}---\n${printTree(filled, { chart })}`;
}

/**
 * Sets the same image, pull policy and pull secrets as for the ambassador. The Pod runs on the
 * nodes where the operator may run.
 */
function withImage(chart: string, spec: Tree): Tree {
  const image = `include ${literal(`${chart}.image`)} $.Values.proxy.image | quote`;
  const policy = '$.Values.proxy.image.pullPolicy';
  const filled = changeAt(spec, ['containers', 'test'], (container) =>
    withFields(
      container,
      field('image', inline(image)),
      field('imagePullPolicy', inline(`${policy} | quote`), policy),
    ),
  );
  return withFields(
    filled,
    ...given('$.Values.manager', 'imagePullSecrets', 'nodeSelector', 'tolerations'),
  );
}

/**
 * An object that `helm test` creates. It does not have the labels that select the operator's Pods.
 */
function hook(chart: string, kind: string, weight: number, spec: object): Tree {
  const tree = treeOf({
    apiVersion: 'v1',
    kind,
    metadata: {
      name: `test-${NAME}`,
      namespace: NAMESPACE,
      annotations: {
        'helm.sh/hook': 'test',
        'helm.sh/hook-weight': `${weight}`,
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      },
    },
    spec,
  });
  return changeAt(tree, ['metadata'], (metadata) =>
    withFields(metadata, field('labels', lines(include(chart, 'ownLabels')))),
  );
}

function containerOf(containers: readonly ModelContainer[], wanted: string): ModelContainer {
  const found = containers.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`the Deployment has no container ${wanted}`);
  return found;
}

function healthPort({ ports }: ModelContainer): number {
  const known = ports as readonly { readonly name: string; readonly containerPort: number }[];
  const port = known.find(({ name }) => name === 'health')?.containerPort;
  if (port === undefined) throw new Error('the operator has no port for probes');
  return port;
}

function readyPath({ readinessProbe }: ModelContainer): string {
  return (readinessProbe as { readonly httpGet: { readonly path: string } }).httpGet.path;
}
