import { expect } from 'chai';
import { LitElement } from 'lit';
import Uppy from '@uppy/core';

describe('the test runner', () => {
  it('serves Lit and Uppy to a real browser', () => {
    expect(LitElement).to.be.a('function');
    expect(new Uppy().getFiles()).to.deep.equal([]);
  });
});
