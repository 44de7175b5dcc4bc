import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { CropRatio } from './crop-ratios.js';

export interface RatioChoice {
  ratios: readonly CropRatio[];
  chosen: CropRatio;
  /** Name of the group. */
  label: string;
  /** Name of free proportions. */
  freeLabel: string;
  isDisabled: boolean;
  onChoose(ratio: CropRatio): void;
}

/** Renders the proportions to choose from. Nothing if there is only one. */
export const renderRatios = (choice: RatioChoice): TemplateResult | typeof nothing =>
  choice.ratios.length < 2
    ? nothing
    : html`<div class="ratios" role="radiogroup" aria-label=${choice.label}>
        ${choice.ratios.map(
          (ratio) =>
            html`<label class="ratio">
              <input
                type="radio"
                name="editor-ratio"
                ?disabled=${choice.isDisabled}
                .checked=${ratio === choice.chosen}
                @change=${() => choice.onChoose(ratio)}
              /><span>${ratio.name || choice.freeLabel}</span>
            </label>`,
        )}
      </div>`;

export interface Slider {
  label: string;
  range: readonly [min: number, max: number, step: number];
  value: number;
  /** The value as people read it. */
  text: string;
  isDisabled: boolean;
  onInput(value: number): void;
}

export const renderSlider = ({ label, range: [min, max, step], value, text, isDisabled, onInput }: Slider): TemplateResult =>
  html`<label class="slider">
    <span>${label}</span>
    <input
      type="range"
      min=${min}
      max=${max}
      step=${step}
      aria-valuetext=${text}
      ?disabled=${isDisabled}
      .value=${String(value)}
      @input=${(event: Event) => onInput((event.target as HTMLInputElement).valueAsNumber)}
    />
    <output aria-hidden="true">${text}</output>
  </label>`;
