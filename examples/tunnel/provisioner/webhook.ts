import { type Provisioner, ProvisionerError } from './provisioner.ts';
import { type Answer, MAX_ANSWER_BYTES, type RemoteOptions, remoteProvisioner } from './remote.ts';

/** A URL to which each request is posted. */
export function webhookProvisioner(url: string, options?: RemoteOptions): Provisioner {
  return remoteProvisioner((request, { signal }) => post(url, request, signal), options);
}

async function post(url: string, body: string, signal: AbortSignal): Promise<Answer> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  try {
    // A redirect would take the token to wherever the answer says.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    const text = await bounded(response);
    return response.ok ? { text } : { text, failure: `HTTP ${response.status}` };
  } catch (error) {
    if (error instanceof ProvisionerError) throw error;
    throw new ProvisionerError('the provisioner cannot be reached', { cause: error });
  }
}

async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new ProvisionerError('the provisioner answered too much');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
