//! Axes that are not spatial: those that count the volumes and the components of a file.

/// Axis of a file that is not spatial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExtraAxis {
    pub meaning: AxisMeaning,
    pub size: u64,
    /// `true` for an axis of the interleaved components, which is faster than the spatial axes;
    /// `false` for one of the consecutive volumes.
    pub is_interleaved: bool,
    /// Distance of neighbours along the axis, in components or volumes as the file stores them.
    pub stride: u64,
}

/// Meaning of an axis that is not spatial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AxisMeaning {
    Volume,
    Component,
}

/// Returns axes of these sizes that count the consecutive volumes, fastest first.
pub(crate) fn volume_axes(sizes: &[u64]) -> Vec<ExtraAxis> {
    let mut stride = 1_u64;
    let axis = |&size: &u64| {
        let axis = ExtraAxis {
            meaning: AxisMeaning::Volume,
            size,
            is_interleaved: false,
            stride,
        };
        // The product overflows only if another size is 0, and then there are no volumes.
        stride = stride.saturating_mul(size);
        axis
    };
    sizes.iter().map(axis).collect()
}

/// Returns the product of the sizes of the axes with this meaning.
pub(crate) fn count_along(axes: &[ExtraAxis], meaning: AxisMeaning) -> u64 {
    let axes = axes.iter().filter(|axis| axis.meaning == meaning);
    // If a size is 0, the product of the others may overflow.
    axes.fold(1_u64, |count, axis| count.saturating_mul(axis.size))
}

/// Volume and component to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// 0-based index of the volume in storage order.
    pub volume: u64,
    /// 0-based index of the component in storage order.
    pub component: u64,
}

impl Selection {
    /// Returns the storage indices of a volume and a component, which must exist. Their indices
    /// count along the first of their axes first.
    pub fn new(axes: &[ExtraAxis], volume: u64, component: u64) -> Self {
        let mut selection = Self {
            volume: 0,
            component: 0,
        };
        for (meaning, mut index) in [
            (AxisMeaning::Volume, volume),
            (AxisMeaning::Component, component),
        ] {
            for axis in axes.iter().filter(|axis| axis.meaning == meaning) {
                let offset = index % axis.size * axis.stride;
                index /= axis.size;
                if axis.is_interleaved {
                    selection.component += offset;
                } else {
                    selection.volume += offset;
                }
            }
        }
        selection
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_count_along_the_first_of_their_axes_first() {
        use AxisMeaning::{Component, Volume};
        let axis = |meaning, size, is_interleaved, stride| ExtraAxis {
            meaning,
            size,
            is_interleaved,
            stride,
        };
        // Two series of 3 and 2 volumes, the first interleaved after 4 components, and 5 components
        // that are stored as volumes after the second series.
        let axes = [
            axis(Component, 4, true, 1),
            axis(Volume, 3, true, 4),
            axis(Volume, 2, false, 1),
            axis(Component, 5, false, 2),
        ];
        assert_eq!(
            (count_along(&axes, Volume), count_along(&axes, Component)),
            (6, 20)
        );
        let mut selections = Vec::new();
        for volume in 0..6 {
            for component in 0..20 {
                let selection = Selection::new(&axes, volume, component);
                let expected = Selection {
                    volume: volume / 3 + component / 4 * 2,
                    component: component % 4 + volume % 3 * 4,
                };
                assert_eq!(selection, expected, "{volume} {component}");
                assert!(!selections.contains(&selection));
                selections.push(selection);
            }
        }
    }
}
