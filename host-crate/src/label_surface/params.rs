//! Parameters of label surface extraction.

use ferrovox_kernels::label_surface::cell::JOIN_CONTACTS;

/// Parameters of [`extract`](super::extract).
///
/// ```
/// use ferrovox::label_surface::{LabelSurfaceParams, VoxelContact};
///
/// assert_eq!(LabelSurfaceParams::default().smoothing_steps, 20);
/// let raw = LabelSurfaceParams::raw();
/// let params = LabelSurfaceParams { contact: VoxelContact::Separate, ..raw };
/// assert_eq!((params.smoothing_steps, params.volume_steps), (0, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelSurfaceParams {
    /// Number of double steps of Taubin's filter, with the factors 0.5 and -0.53. 0 disables
    /// smoothing.
    pub smoothing_steps: u32,
    /// Maximum number of steps that adapt the enclosed volume of each label to that of its voxels;
    /// fewer if all differ by at most 0.2 %. 0 disables the adaptation.
    pub volume_steps: u32,
    /// Number of double steps of Taubin's filter that continue the smoothing beyond the cells. 0
    /// keeps vertices within their cells.
    pub fairing_steps: u32,
    /// Rule for voxels of one label that touch in an edge only.
    pub contact: VoxelContact,
}

impl LabelSurfaceParams {
    /// Returns the parameters of the surface without smoothing, adaptation of volumes and fairing.
    pub const fn raw() -> Self {
        Self {
            smoothing_steps: 0,
            volume_steps: 0,
            fairing_steps: 0,
            contact: VoxelContact::Join,
        }
    }
}

impl Default for LabelSurfaceParams {
    fn default() -> Self {
        Self {
            smoothing_steps: 20,
            volume_steps: 30,
            fairing_steps: 20,
            contact: VoxelContact::Join,
        }
    }
}

/// Rule for two voxels of one label that touch in an edge only, if the other two voxels at the edge
/// are background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VoxelContact {
    /// The surface joins the voxels by a narrow bridge.
    #[default]
    Join,
    /// The surface separates the voxels.
    Separate,
}

impl VoxelContact {
    /// Returns the number of the rule in kernels.
    pub(super) const fn kernel_rule(self) -> u32 {
        match self {
            Self::Join => JOIN_CONTACTS,
            Self::Separate => JOIN_CONTACTS + 1,
        }
    }
}
