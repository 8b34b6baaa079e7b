import { type Browser, chromium } from 'playwright-core';
import { pathOf } from '../tools/tools.ts';

/** A real browser, for the caller to close. It speaks to nobody but the pages that it is shown. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: pathOf('chromium'),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
