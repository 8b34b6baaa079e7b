import { onTestFinished } from 'vitest';
import { Pod, type PodOptions } from './pod.ts';

/** `Pod.prepare`, until the test ends. */
export async function preparePod(options?: PodOptions): Promise<Pod> {
  const pod = await Pod.prepare(options);
  onTestFinished(() => pod[Symbol.asyncDispose]());
  return pod;
}

/** The same, and the proxy listens. */
export async function startPod(options?: PodOptions): Promise<Pod> {
  const pod = await preparePod(options);
  await pod.proxy.start();
  return pod;
}
