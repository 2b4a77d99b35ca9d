import { Component, type ReactNode } from 'react';

interface MishapProps {
  /** What stands in this part of the page, e.g. "charges". */
  readonly of: string;
  readonly children: ReactNode;
}

/** Keeps a fault of the page itself, such as a date that cannot be worded, to the part that it happened in. */
export class Mishap extends Component<MishapProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div className="notice" role="alert">
        <strong>The {this.props.of} cannot be shown: this page met a value that it does not understand.</strong>
        <button type="button" onClick={() => this.setState({ hasFailed: false })}>
          Try again
        </button>
      </div>
    );
  }
}
