import type { ClusterNode } from './cluster-node.ts';
import { type HeldProcess, HOLD, hold } from './held-process.ts';

/** Of the block that documents are written with (RFC 5737), so that nobody's network is meant. */
export const NODE_ADDRESS = '192.0.2.1';
export const POD_ADDRESS = '192.0.2.2';

/**
 * What the containers of one Pod share: the network with a loopback of its own, and an address that
 * the node reaches; System V objects; the host's name. A process that does nothing holds it.
 */
export class PodSandbox {
  readonly #holder: HeldProcess;

  private constructor(holder: HeldProcess) {
    this.#holder = holder;
  }

  static async start(node: ClusterNode, hostname: string): Promise<PodSandbox> {
    const { unshare, sh, ip } = node.tools.path;
    const holding = `echo ${hostname} >/proc/sys/kernel/hostname; ${HOLD}`;
    const own = [unshare, '--net', '--ipc', '--uts', sh, '-c', holding];
    const holder = await hold(node.inNode(own), 1);
    const pod = new PodSandbox(holder);
    const link = [
      'link',
      'add',
      'pod',
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      String(holder.pid),
    ];
    await node.run(node.onNode([ip, ...link]));
    await node.run(node.onNode([sh, '-euc', addressed(ip, 'pod', NODE_ADDRESS)]));
    await node.run(node.onNode([sh, '-euc', addressed(ip, 'eth0', POD_ADDRESS)], pod.namespaces));
    return pod;
  }

  /** Its process: /proc/PID/net is the Pod's. */
  get pid(): number {
    return this.#holder.pid;
  }

  /** For `nsenter`: to be on the Pod's network, and all else that its containers share. */
  get namespaces(): readonly string[] {
    return ['net', 'ipc', 'uts'].map((kind) => `--${kind}=/proc/${this.#holder.pid}/ns/${kind}`);
  }
}

/** Brings a network up: its loopback, and its end of the one line that there is. */
function addressed(ip: string, device: string, address: string): string {
  return `${ip} addr add ${address}/30 dev ${device}; ${ip} link set ${device} up; ${ip} link set lo up`;
}
