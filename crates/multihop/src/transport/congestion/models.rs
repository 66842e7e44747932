//! What congestion controls that model the path have in common.

use crate::config::ConfigError;
use crate::transport::config::TcpConfig;
use crate::transport::congestion::validation::WindowValidation;
use crate::transport::sack::config::RecoveryScheme;

/// Checks the keys of a congestion control that models the path: losses are noticed by selective
/// acknowledgments, which alone tell how much is delivered, and the window is not validated, as it
/// follows from the model.
pub fn suits_a_model(config: &TcpConfig) -> Result<(), ConfigError> {
    if config.window_validation != WindowValidation::None {
        return Err(ConfigError::new(
            "window_validation",
            "must be \"none\" with this scheme, whose window does not grow by acknowledgments \
             (got \"rfc7661\")",
        ));
    }
    match config.recovery.scheme {
        Some(RecoveryScheme::DuplicateAcks) => Err(ConfigError::new(
            "recovery.scheme",
            "must be \"rack-tlp\" or \"sack\" with this scheme (got \"duplicate-acks\")",
        )),
        _ => Ok(()),
    }
}
