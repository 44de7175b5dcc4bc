import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { isMirrored } from './camera-request.js';

/**
 * Renders the picture of a camera.
 * @param label accessible name
 * @param onPicture the size of the picture is known, or changed
 */
export const renderLivePicture = (
  stream: MediaStream | undefined,
  label: string,
  onPicture?: (event: Event) => void,
): TemplateResult =>
  // Lit sets objects in each render. The browser would start the picture over.
  html`<video
    class=${isMirrored(stream) ? 'mirrored' : ''}
    aria-label=${label}
    .srcObject=${guard([stream], () => stream ?? null)}
    .muted=${true}
    @loadeddata=${onPicture ?? nothing}
    @resize=${onPicture ?? nothing}
    autoplay
    playsinline
  ></video>`;
