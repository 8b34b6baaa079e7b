import { ClusterNode, type Means } from './cluster-node.ts';
import { PodSandbox } from './pod-sandbox.ts';

/** By what means a Pod can be made here, or why by none, in the words of what was tried. */
export type Answer =
  | { readonly means: Means }
  | { readonly means: undefined; readonly why: string };

/** Tries the real thing: namespaces, a network between two of them, a mount, another user without any rights. */
export async function probeMeans(): Promise<Answer> {
  const refusals: string[] = [];
  for (const means of ['root', 'user'] as const) {
    const refusal = await attempt(means);
    if (refusal === undefined) return { means };
    refusals.push(`${NAMES[means]}: ${refusal}`);
  }
  return { means: undefined, why: refusals.join('\n') };
}

const NAMES: Readonly<Record<Means, string>> = {
  root: 'as root, with CAP_SYS_ADMIN',
  user: 'in a user namespace, with the ids 65531 and 65532 from /etc/subuid by newuidmap',
};

/** What stands against it, in the words of the tool that failed. */
async function attempt(means: Means): Promise<string | undefined> {
  let node: ClusterNode | undefined;
  try {
    node = await ClusterNode.start(means);
    await PodSandbox.start(node, 'probe');
    const { mount, setpriv, cat, sh } = node.tools.path;
    const overlay = 'lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work';
    const mounts = [
      `${mount} -t tmpfs tmpfs /mnt; mkdir /mnt/lower /mnt/upper /mnt/work /mnt/root`,
      `${mount} -t overlay overlay -o ${overlay} /mnt/root; ${mount} -t proc proc /mnt/root`,
    ];
    await node.run(node.inNode([sh, '-euc', mounts.join('\n')]));
    const other = [
      '--reuid=65532',
      '--regid=65532',
      '--clear-groups',
      '--bounding-set=-all',
      '--no-new-privs',
    ];
    await node.run(node.inNode([setpriv, ...other, cat, '/proc/self/status']));
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr ?? message).trim();
  } finally {
    await node?.end();
  }
}
