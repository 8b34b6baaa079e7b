import { ApiError } from 'chancery/internal-objects';

/** The server's answer for every patch that cannot be applied. It contains no details. */
export const UNPROCESSABLE = {
  status: 'Failure',
  message: 'the server rejected our request due to an error in our request',
  reason: 'Invalid',
  details: {},
  code: 422,
} as const;

export function unprocessablePatch(): ApiError {
  return new ApiError(UNPROCESSABLE);
}
