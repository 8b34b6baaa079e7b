import { yamlWithItem } from 'chancery/internal';
import { generated, namespaceOf } from './ambassador-folder.ts';
import { inFile, type KustomizeTree, kustomizationIn } from './kustomize-tree.ts';
import type { Manager } from './manager.ts';

const FOLDER = 'config/network-policy';
const FILE = 'allow-ambassador-traffic.yaml';

type Files = ReadonlyMap<string, string>;

/** The NetworkPolicy for connections from the Pod, and messages about it. */
interface Egress {
  readonly files: Files;
  readonly messages: readonly string[];
}

/**
 * A NetworkPolicy for connections from the Pod. kubebuilder's own policies control connections to
 * the Pod. Like these policies, this one is active when `config/default` lists `../network-policy`.
 * A project without that folder gets no policy.
 */
export function egressPolicy(files: Files, tree: KustomizeTree, manager: Manager): Egress {
  const kustomization = kustomizationIn(files, FOLDER);
  const isSelected = Object.keys(manager.selector).length > 0;
  if (kustomization === undefined || !isSelected) return { files: new Map(), messages: [] };
  const text = files.get(kustomization) ?? '';
  const path = `${FOLDER}/${FILE}`;
  const isNew = !files.has(path) && tree.folders.has(FOLDER);
  return {
    files: new Map([
      [path, generated(WHY, policyFor(manager))],
      [
        kustomization,
        inFile(kustomization, () => yamlWithItem(text, 'resources', FILE, '# The ambassador')),
      ],
    ]),
    messages: isNew ? [TOLD] : [],
  };
}

const WHY = [
  'The Pod may connect to the API server and to DNS. Other clusters have the API server at other ports. Nobody knows its',
  'address here: an overlay can add it, as spec.egress[0].to[0].ipBlock.cidr.',
];

const TOLD =
  `${FOLDER}/${FILE} is new: the Pod may connect to ports 443, 6443 and 53 only; if the manager connects to others, ` +
  'allow them in a NetworkPolicy of your own';

function policyFor(manager: Manager): object {
  const tcp = (port: number): object => ({ protocol: 'TCP', port });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'allow-ambassador-traffic', ...namespaceOf(manager) },
    spec: {
      podSelector: { matchLabels: manager.selector },
      policyTypes: ['Egress'],
      egress: [
        { ports: [tcp(443), tcp(6_443)] },
        { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
      ],
    },
  };
}
